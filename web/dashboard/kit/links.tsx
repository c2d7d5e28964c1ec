import {
  Anchor,
  Button,
  NavLink,
  type AnchorProps,
  type ButtonProps,
  type NavLinkProps,
} from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

// `to`, `params` and `search` are checked against the routes.

type AnchorElementProps = Omit<ComponentPropsWithRef<"a">, keyof AnchorProps | "href">;

function BaseAnchor(props: AnchorProps & AnchorElementProps) {
  return <Anchor {...props} />;
}
export const TextLink = createLink(BaseAnchor);

function BaseRow(props: AnchorProps & AnchorElementProps) {
  return <Anchor data-row inherit underline="hover" c="var(--mantine-color-text)" fw={600} {...props} />;
}
export const RowLink = createLink(BaseRow);

function BaseButton(props: ButtonProps & Omit<ComponentPropsWithRef<"a">, keyof ButtonProps>) {
  return <Button component="a" {...props} />;
}
export const ButtonLink = createLink(BaseButton);

function BaseNav(props: NavLinkProps & Omit<ComponentPropsWithRef<"a">, keyof NavLinkProps>) {
  return <NavLink {...props} />;
}
export const NavigationLink = createLink(BaseNav);
