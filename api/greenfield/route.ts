import type { z } from "zod";
import type { Caller } from "../../commands/stores/api-key";
import type { NeededPolicy } from "../../domain/greenfield/permissions";
import {
  type DeclaredRoute,
  definitionOf,
  type PathParams,
  type RouteDefinition,
  type RouteRequest,
} from "../http/route";

/** What a handler gets besides the request: its key. */
export interface GreenfieldCaller {
  caller: Caller;
  /** The key's text as the plugin sent it. */
  sentKey: string;
}

interface GreenfieldShape<P extends string, Q extends z.ZodType, B extends z.ZodType> extends Omit<
  DeclaredRoute<P, Q, B>,
  "success"
> {
  needs: NeededPolicy;
  /** Unwraps, calls one command, presents. */
  handle(request: RouteRequest<PathParams<P>, z.output<Q>, z.output<B>> & GreenfieldCaller): Promise<unknown>;
}

/** A route as the router sees it: its request was parsed by its own schemas. */
export interface GreenfieldRoute extends RouteDefinition {
  success: 200;
  needs: NeededPolicy;
  handle(
    request: RouteRequest<Record<string, string>, unknown, unknown> & GreenfieldCaller,
  ): Promise<unknown>;
}

/**
 * Ties a handler's types to its path and schemas. Every success is 200. Schemas of requests take unknown fields, and
 * `null` as absent: plugins send both.
 */
export function greenfieldRoute<const P extends string, Q extends z.ZodType, B extends z.ZodType>(
  shape: GreenfieldShape<P, Q, B>,
): GreenfieldRoute {
  return { ...definitionOf(shape), success: 200 } as unknown as GreenfieldRoute;
}
