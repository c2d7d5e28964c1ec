import type { z } from "zod";
import type { Caller } from "../commands/api-key";
import type { CommandContext } from "../commands/context";

/** `"/stores/:storeId"` has `{storeId: string}`. */
type PathParams<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParams<Rest>
  : P extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown;

interface RouteRequest<Params, Query, Body> {
  ctx: CommandContext;
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  /** The body as it was sent, for what must be kept to the letter. */
  rawBody: string;
}

interface RouteShape<P extends string, Q extends z.ZodType, B extends z.ZodType> {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Below `/api/v1`. Begins with the store that the key must belong to. */
  path: P;
  /** One line for the API's description. */
  summary: string;
  query: Q;
  /** Null where the method has no body. */
  body: B | null;
  success: 200 | 201 | 202 | 204;
  /** Unwraps, calls one command, presents. Nothing for 204. */
  handle(request: RouteRequest<PathParams<P>, z.output<Q>, z.output<B>>): Promise<unknown>;
}

/** A route as the router sees it: its request was parsed by its own schemas. */
export interface Route extends Omit<RouteShape<string, z.ZodType, z.ZodType>, "handle"> {
  handle(request: RouteRequest<Record<string, string>, unknown, unknown>): Promise<unknown>;
}

/** Ties a handler's types to its path and schemas. */
export function route<const P extends string, Q extends z.ZodType, B extends z.ZodType>(
  shape: RouteShape<P, Q, B>,
): Route {
  return shape as unknown as Route;
}
