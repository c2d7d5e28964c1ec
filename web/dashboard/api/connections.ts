import type {
  connectBody,
  connectedAnswer,
  connectionAnswer,
  readConnectionBody,
} from "../../../api/dashboard/stores/connection-request";
import { queryOptions } from "@tanstack/react-query";
import { get, post } from "./call";
import type { PageOf } from "./queries";
import type { Answer, ListedStore } from "./shapes";

export type ConnectionRequest = Answer<typeof readConnectionBody>;
export type Connection = Answer<typeof connectionAnswer>;
export type Connected = Answer<typeof connectedAnswer>;

const STORES_MAX = 2_000;

export const readConnection = (request: ConnectionRequest) => post<Connection>("/connections/read", request);
export const connect = (storeId: string, body: Answer<typeof connectBody>) =>
  post<Connected>(`/stores/${storeId}/connections`, body);

/** A member, or a viewer, would be refused. */
export const connectableStores = queryOptions({
  queryKey: ["stores", "connectable"],
  async queryFn({ signal }) {
    const stores: ListedStore[] = [];
    let cursor: string | null = null;
    do {
      const page: PageOf<ListedStore> = await get("/stores", { query: { limit: 200, cursor }, signal });
      stores.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== null && stores.length < STORES_MAX);
    return stores.filter(({ role }) => role === "owner");
  },
});

/** Other parameters change nothing: a key here is one store's. */
export function requestOf(search: URLSearchParams): ConnectionRequest {
  const applicationName = search.get("applicationName");
  return {
    permissions: search.getAll("permissions"),
    ...(applicationName === null ? {} : { applicationName }),
    redirects: search.getAll("redirect").filter((redirect, _, all) => redirect !== "" || all.length > 1),
  };
}

export function withoutRedirect(search: URLSearchParams): string {
  const kept = [...search].filter(([name]) => name !== "redirect");
  return new URLSearchParams(kept).toString();
}
