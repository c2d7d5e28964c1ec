import type { Middleware } from "koa";
import type { z } from "zod";
import type { Caller } from "../commands/api-key";
import type { CommandContext } from "../commands/context";
import type { ErrorCode } from "../domain/errors";
import type { AppParts } from "./app-parts";
import type { FeedWatch } from "./feed-watch";
import type { Tag } from "./tags";

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
  /** Of an idempotent operation, where the caller sent one. */
  idempotencyKey: string | null;
  feed: FeedWatch;
  /** The caller has closed the connection, or has its answer. */
  gone: AbortSignal;
  setHeader(name: string, value: string): void;
}

/** What the API's description tells of an operation; its schemas check requests, and in the tests every answer. */
export interface Operation<
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Below `/api/v1`, or whole outside of it. */
  path: P;
  /** In camelCase, unique: generated clients name their methods by it. */
  operationId: string;
  tags: readonly [Tag];
  /** One line. */
  summary: string;
  /** Markdown: what the summary and the schemas do not say. */
  description?: string;
  query: Q;
  /** Null where the method has no body. */
  body: B | null;
  /** It honours the header `Idempotency-Key`. */
  idempotent?: true;
  success: 200 | 201 | 202 | 204;
  /** The answer of success as JSON, closed (z.strictObject): a field that is not in it fails the tests. Null for 204. */
  answer: z.ZodType | null;
  /** Another type that its answer may have, as the caller wishes. */
  alsoAs?: "text/csv";
  /** What this operation may refuse, beside what all do and what follows from its path and body (operation-errors.ts). */
  errors: readonly ErrorCode[];
}

interface RouteShape<P extends string, Q extends z.ZodType, B extends z.ZodType> extends Operation<P, Q, B> {
  /** Unwraps, calls one command, presents. Nothing for 204. */
  handle(request: RouteRequest<PathParams<P>, z.output<Q>, z.output<B>>): Promise<unknown>;
}

/** A route as the router sees it: its request was parsed by its own schemas. */
export interface Route extends Operation {
  handle(request: RouteRequest<Record<string, string>, unknown, unknown>): Promise<unknown>;
}

/** Ties a handler's types to its path and schemas. A path below `/stores/:storeId` needs a key of that store. */
export function route<const P extends string, Q extends z.ZodType, B extends z.ZodType>(
  shape: RouteShape<P, Q, B>,
): Route {
  return shape as unknown as Route;
}

/** An operation that needs no key. */
export interface PublicRoute extends Operation {
  /** Answers of other statuses that are no problem details. */
  otherAnswers?: Readonly<Record<number, z.ZodType>>;
  serve(parts: AppParts): Middleware;
}
