import { apiUrl, type Query } from "./base";
import { ApiError, noConnection, problemOf } from "./problem";
import { askForSudo } from "./sudo";

interface CallOptions {
  body?: unknown;
  query?: Query;
  signal?: AbortSignal;
}

async function send(method: string, path: string, { body, query, signal }: CallOptions): Promise<Response> {
  try {
    return await fetch(apiUrl(path, query), {
      method,
      credentials: "same-origin",
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw noConnection();
  }
}

/**
 * Below `/api/dashboard`. Asks for a fresh login if needed, and sends again.
 * @throws ApiError, code `no-connection` without an answer.
 */
export async function answerTo(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const response = await send(method, path, options);
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.code !== SUDO_REQUIRED || !(await askForSudo())) throw problem;
  return answerTo(method, path, options);
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await answerTo(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

const SUDO_REQUIRED = "reauthentication-needed";

export const get = <T>(path: string, options?: Omit<CallOptions, "body">) => call<T>("GET", path, options);
export const post = <T = void>(path: string, body?: unknown) => call<T>("POST", path, { body });
export const put = <T = void>(path: string, body: unknown) => call<T>("PUT", path, { body });
export const patch = <T = void>(path: string, body: unknown) => call<T>("PATCH", path, { body });
export const remove = (path: string, query: Query = {}) => call<void>("DELETE", path, { query });

export const isNotLoggedIn = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
