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

export interface GreenfieldCaller {
  caller: Caller;
  sentKey: string;
}

interface GreenfieldShape<P extends string, Q extends z.ZodType, B extends z.ZodType> extends Omit<
  DeclaredRoute<P, Q, B>,
  "success"
> {
  needs: NeededPolicy;
  /** Every success is 200. */
  handle(request: RouteRequest<PathParams<P>, z.output<Q>, z.output<B>> & GreenfieldCaller): Promise<unknown>;
}

export interface GreenfieldRoute extends RouteDefinition {
  success: 200;
  needs: NeededPolicy;
  handle(
    request: RouteRequest<Record<string, string>, unknown, unknown> & GreenfieldCaller,
  ): Promise<unknown>;
}

/** Requests may have unknown fields, and `null` is absent: plugins send both. */
export function greenfieldRoute<const P extends string, Q extends z.ZodType, B extends z.ZodType>(
  shape: GreenfieldShape<P, Q, B>,
): GreenfieldRoute {
  return { ...definitionOf(shape), success: 200 } as unknown as GreenfieldRoute;
}
