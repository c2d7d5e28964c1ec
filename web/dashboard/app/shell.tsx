import { AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect, type MouseEvent } from "react";
import { Loading } from "../kit/loaded";
import { AccountMenu } from "./account-menu";
import { AlertBell } from "./alert-bell";
import { Brand } from "./brand";
import { Navigation } from "./navigation";
import { SchemeSwitch } from "../kit/scheme-switch";

const BELOW = "sm";

/** The frame of all pages behind the login. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { storeId } = useParams({ strict: false });
  useEffect(close, [path, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 250, breakpoint: BELOW, collapsed: { mobile: !opened } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <a href="#content" className="skip-link" onClick={goToContent}>
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom={BELOW}
              size="sm"
              aria-label={opened ? "Close the menu" : "Open the menu"}
              aria-expanded={opened}
            />
            <Brand />
          </Group>
          <Group gap={6} wrap="nowrap">
            {storeId !== undefined && <AlertBell storeId={storeId} />}
            <SchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Main">
        <Navigation storeId={storeId} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: "none" }}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}

/** By hand: with a `<base>` a link to "#content" would leave the page. */
function goToContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
