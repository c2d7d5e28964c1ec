import type { Middleware } from "koa";
import type { z } from "zod";
import type { CommandContext } from "../../commands/context";
import type { ErrorCode } from "../../domain/errors";
import type { KeyAccess, LesserAccess } from "../../domain/account/key-access";
import type { StoreRole } from "../../domain/account/store-role";
import type { AppDependencies } from "../app-dependencies";
import type { FeedWatch } from "../events/feed-watch";
import type { LargeAnswer } from "./large-answer";
import { noQuery } from "./schemas/text";
import type { Tag } from "./tags";

/** `"/stores/:storeId"` has `{storeId: string}`. */
export type PathParams<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParams<Rest>
  : P extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown;

export interface RouteRequest<Params, Query, Body> {
  /** On the caller's behalf: `actor` is the caller. */
  ctx: CommandContext;
  /** The role in the path's store; an API key with full access has an owner's, another one a viewer's. */
  role: StoreRole;
  params: Params;
  query: Query;
  body: Body;
  /** The body as it was sent, for what must be stored unchanged. */
  rawBody: string;
  /** For an idempotent operation, if the caller sent one. */
  idempotencyKey: string | null;
  feed: FeedWatch;
  /** Reads what may be large. */
  large: Pick<LargeAnswer, "read" | "letGo">;
  /** Runs what may change very many rows: one of a store at a time. It is completed even if the caller disconnects. */
  bulk<T>(change: () => Promise<T>): Promise<T>;
  /** The caller has disconnected, or has been answered. */
  gone: AbortSignal;
  setHeader(name: string, value: string): void;
}

/** What is declared about every route; its schemas check requests, and in the tests every answer. */
export interface DeclaredRoute<
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Relative to the prefix of its API, or complete if there is none. */
  path: P;
  /** By default `noQuery`. */
  query?: Q;
  /** By default it has none. */
  body?: B;
  /** A longer body is refused; 256 KiB by default. */
  bodyMaxBytes?: number;
  /** What it costs of its sender's rate limit, where ordinary requests cost 1. */
  points?: number;
  /** It accepts the header `Idempotency-Key`. */
  idempotent?: true;
  /** By default 200, and 204 without an answer. */
  success?: 200 | 201 | 202;
  /** The successful answer as JSON, closed (z.strictObject): a field that is not in it fails the tests. */
  answer?: z.ZodType;
}

type WithDefault = "query" | "body" | "success" | "answer";

/** What serving a route needs. */
export interface RouteDefinition extends Omit<DeclaredRoute, WithDefault> {
  query: z.ZodType;
  /** Null if the method has no body. */
  body: z.ZodType | null;
  success: 200 | 201 | 202 | 204;
  /** Null for 204. */
  answer: z.ZodType | null;
}

/** Fills in what is not declared. */
export function definitionOf<S extends DeclaredRoute>(
  shape: S,
): Omit<S, WithDefault> & Pick<RouteDefinition, WithDefault> {
  const { query = noQuery, body = null, answer = null, success, ...rest } = shape;
  return { ...rest, query, body, answer, success: success ?? (answer === null ? 204 : 200) };
}

/** What a user of the dashboard needs for a route. */
export interface Needs {
  /** The least role in the path's store. By default `viewer` to read, `member` to change. */
  role?: StoreRole;
  /** For server admins only. */
  admin?: true;
  /**
   * A fresh proof (domain/account/fresh-proof), or one if the body has one of these fields. Each route that changes
   * something says whether it needs one.
   */
  sudo?: boolean | readonly string[];
}

/** What is declared about an operation for the OpenAPI description. */
interface Described {
  /** In camelCase, unique: generated clients name their methods by it. */
  operationId: string;
  tags: readonly [Tag];
  /** One line. */
  summary: string;
  /** Markdown: what is not in the summary and the schemas. */
  description?: string;
  /** An alternative type of its answer, at the caller's choice. */
  alsoAs?: "text/csv";
  /** A second status of its answer, in place of problem details. */
  alsoStatus?: 503;
  /**
   * This operation's own refusals, besides those of all operations and those of its path and body
   * (operation-errors.ts). By default it has none.
   */
  errors?: readonly ErrorCode[];
}

/** An operation's part of the OpenAPI description. */
export interface Operation extends RouteDefinition, Described {
  errors: readonly ErrorCode[];
}

/** What a route of the public API declares about its callers. */
interface Callers extends Needs {
  /** API keys with less than full access that may use it. By default none. */
  access?: readonly LesserAccess[];
  /** It is about the key itself, which the dashboard does not have. */
  keyOnly?: true;
}

interface RouteShape<P extends string, Q extends z.ZodType, B extends z.ZodType>
  extends DeclaredRoute<P, Q, B>, Described, Callers {
  /** Unwraps the request, calls one command, presents the result. Nothing for 204. */
  handle(request: RouteRequest<PathParams<P>, z.output<Q>, z.output<B>>): Promise<unknown>;
}

/** A route as the router sees it: its request was parsed by its own schemas. */
export interface Route extends Operation, Callers {
  handle(request: RouteRequest<Record<string, string>, unknown, unknown>): Promise<unknown>;
}

/** Ties a handler's types to its path and schemas. A path below `/stores/:storeId` needs a key of that store. */
export function route<const P extends string, Q extends z.ZodType, B extends z.ZodType>(
  shape: RouteShape<P, Q, B>,
): Route {
  return { errors: [], ...definitionOf(shape) } as unknown as Route;
}

/** Every access that a route allows: full access, and what it declares. */
export function accessAllowed({ access = [] }: Pick<Route, "access">): readonly KeyAccess[] {
  return ["full", ...access];
}

/** An operation that needs no key. */
export interface PublicRoute extends Operation {
  serve(parts: AppDependencies): Middleware;
}
