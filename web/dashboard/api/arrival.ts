import { BASE_PATH } from "./base";

export const CONNECT_PATH = "/api-keys/authorize";

/** Before the router rewrites its parameters. */
const loaded = new URL(location.href);

export const arrivalSearch = (): URLSearchParams => loaded.searchParams;

export function nextOf({ pathname, href }: { pathname: string; href: string }): string {
  if (!pathname.startsWith(CONNECT_PATH)) return href;
  return `/${loaded.pathname.slice(BASE_PATH.length)}${loaded.search}`;
}
