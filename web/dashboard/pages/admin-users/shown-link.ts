import type { HandedLink } from "../../api/admin";

/** Shown once. */
export interface ShownLink {
  email: string;
  link: HandedLink;
}
