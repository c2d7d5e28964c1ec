import type { HandedLink } from "../../api/admin";

export interface ShownLink {
  email: string;
  link: HandedLink;
}
