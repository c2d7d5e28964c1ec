import type { HandedLink } from "../../api/admin";

/** A link that is shown once, and whose it is. */
export interface ShownLink {
  email: string;
  link: HandedLink;
}
