import { BASE_PATH } from "./base";

/** The page where shop plugins ask for a key. */
export const CONNECT_PATH = "/api-keys/authorize";

/** The address of this document, before the router writes its parameters in a form of its own. */
const loaded = new URL(location.href);

/** What the address asked for that the browser loaded. */
export const arrivalSearch = (): URLSearchParams => loaded.searchParams;

/** Where a login leads back to. */
export function nextOf({ pathname, href }: { pathname: string; href: string }): string {
  if (!pathname.startsWith(CONNECT_PATH)) return href;
  return `/${loaded.pathname.slice(BASE_PATH.length)}${loaded.search}`;
}
