/** With a slash at its end. */
export const BASE_URL = document.baseURI.replace(/[?#].*$/, "");

/** "/" unless the service is below a path. */
export const BASE_PATH = new URL(BASE_URL).pathname;

/** `path` begins with a slash. */
export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(`api/dashboard${path}`, BASE_URL);
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null && one !== "") url.searchParams.append(name, String(one));
  return url.href;
}

type QueryValue = string | number | boolean | null | undefined;

/** A list is repeated, empty ones are omitted. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
