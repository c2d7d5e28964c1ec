import type {
  connectBody,
  connectedAnswer,
  connectionAnswer,
  readConnectionBody,
} from "../../../api/dashboard/stores/connection-request";
import { post } from "./call";
import type { Answer } from "./shapes";

// An application's request for an API key.

export type ConnectionRequest = Answer<typeof readConnectionBody>;
export type Connection = Answer<typeof connectionAnswer>;
export type Connected = Answer<typeof connectedAnswer>;

export const readConnection = (request: ConnectionRequest) => post<Connection>("/connections/read", request);
export const connect = (storeId: string, body: Answer<typeof connectBody>) =>
  post<Connected>(`/stores/${storeId}/connections`, body);

/** What the link to the page asks for. Other parameters change nothing: a key here is of one store. */
export function requestOf(search: URLSearchParams): ConnectionRequest {
  const applicationName = search.get("applicationName");
  return {
    permissions: search.getAll("permissions"),
    ...(applicationName === null ? {} : { applicationName }),
    redirects: search.getAll("redirect").filter((redirect, _, all) => redirect !== "" || all.length > 1),
  };
}
