import type { z } from "zod";
import type { CommandContext } from "../../commands/context";
import type { ErrorCode } from "../../domain/errors";
import type { KeyAccess, LesserAccess } from "../../domain/account/key-access";
import type { StoreRole } from "../../domain/account/store-role";
import type { ReadUntilFound } from "../live/read-until-found";
import { noQuery } from "./schemas/text";
import type { Tag } from "./tags";

/** `"/stores/:storeId"` has `{storeId: string}`. */
export type PathParams<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParams<Rest>
  : P extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown;

export interface RouteRequest<Params, Query, Body> {
  ctx: CommandContext;
  /** An API key with full access has an owner's, another a viewer's. */
  role: StoreRole;
  params: Params;
  query: Query;
  body: Body;
  rawBody: string;
  /** For an idempotent operation. */
  idempotencyKey: string | null;
  readUntilFound: ReadUntilFound;
  /** Changes very many rows: one such request of a store at a time, completed even if the caller disconnects. */
  bulk<T>(change: () => Promise<T>): Promise<T>;
  gone: AbortSignal;
  setHeader(name: string, value: string): void;
}

/** Schemas check requests, and in the tests every answer. */
export interface DeclaredRoute<
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Relative to its API's prefix, if there is one. */
  path: P;
  query?: Q;
  body?: B;
  bodyMaxBytes?: number;
  /** From the rate limit; default: 1. */
  points?: number;
  idempotent?: true;
  /** Default: 200, and 204 without an answer. */
  success?: 200 | 201 | 202;
  /** Its answer may be a page of 2 MiB: few are read at a time. */
  large?: true;
  /** Closed (z.strictObject): a field that is not in it fails the tests. */
  answer?: z.ZodType;
}

type WithDefault = "query" | "body" | "success" | "answer";

export interface RouteDefinition extends Omit<DeclaredRoute, WithDefault> {
  query: z.ZodType;
  body: z.ZodType | null;
  success: 200 | 201 | 202 | 204;
  answer: z.ZodType | null;
}

/** `Given`: what its authentication adds to a request. */
export interface ServedRoute<Given = unknown> extends RouteDefinition {
  handle(request: RouteRequest<Record<string, string>, unknown, unknown> & Given): Promise<unknown>;
}

interface Handler<Params, Query, Body, Given> {
  /** Nothing for 204. */
  handle(request: RouteRequest<Params, Query, Body> & Given): Promise<unknown>;
}

/** Declares routes of a kind: `Own` is what it says of itself. A path below `/stores/:storeId` needs a right there. */
export const routesOf =
  <Own, Given>() =>
  <const P extends string, Q extends z.ZodType, B extends z.ZodType>(
    shape: DeclaredRoute<P, Q, B> & Own & Handler<PathParams<P>, z.output<Q>, z.output<B>, Given>,
  ): ServedRoute<Given> & Own => {
    const { query = noQuery, body = null, answer = null, success, ...rest } = shape;
    const definition = { query, body, answer, success: success ?? (answer === null ? 204 : 200) };
    return { ...rest, ...definition } as unknown as ServedRoute<Given> & Own;
  };

export interface Needs {
  /** In the path's store. Default: `viewer` to read, `member` to change. */
  role?: StoreRole;
  admin?: true;
  /**
   * A fresh proof (domain/account/fresh-proof), or one if the body has one of these fields. Each route that changes
   * something says.
   */
  sudo?: boolean | readonly string[];
}

interface Described {
  /** camelCase, unique: clients name their methods by it. */
  operationId: string;
  tags: readonly [Tag];
  summary: string;
  /** Markdown, beyond summary and schemas. */
  description?: string;
  alsoAs?: "text/csv";
  /** In place of problem details. */
  alsoStatus?: 503;
  /** Besides those of all operations, path and body (operation-errors.ts). */
  errors?: readonly ErrorCode[];
}

export interface Operation extends RouteDefinition, Described {}

interface Callers extends Needs {
  /** Lesser keys that may use it. Default: none. */
  access?: readonly LesserAccess[];
  /** About the key itself: not in the dashboard. */
  keyOnly?: true;
}

export const route = routesOf<Described & Callers, unknown>();

export type Route = ReturnType<typeof route>;

export function accessAllowed({ access = [] }: Pick<Route, "access">): readonly KeyAccess[] {
  return ["full", ...access];
}
