/** The service's base path, with a slash at its end: its own path when a proxy puts it below one. */
export const BASE_URL = document.baseURI.replace(/[?#].*$/, "");

/** The router's path prefix: "/" unless the service is below a path of its host. */
export const BASE_PATH = new URL(BASE_URL).pathname;

/** An address of the dashboard's JSON. `path` begins with a slash. */
export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(`api/dashboard${path}`, BASE_URL);
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null && one !== "") url.searchParams.append(name, String(one));
  return url.href;
}

type QueryValue = string | number | boolean | null | undefined;

/** Query parameters; a list is repeated, and empty ones are omitted. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
