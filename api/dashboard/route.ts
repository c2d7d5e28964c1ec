import type { z } from "zod";
import {
  type DeclaredRoute,
  definitionOf,
  type Needs,
  type PathParams,
  type RouteDefinition,
  type RouteRequest,
} from "../http/route";
import type { DashboardCaller } from "./authenticate-user";

type DashboardRequest<Params, Query, Body> = RouteRequest<Params, Query, Body> & DashboardCaller;

interface Shape<P extends string, Q extends z.ZodType, B extends z.ZodType>
  extends DeclaredRoute<P, Q, B>, Needs {
  handle(request: DashboardRequest<PathParams<P>, z.output<Q>, z.output<B>>): Promise<unknown>;
}

export interface DashboardRoute extends RouteDefinition, Needs {
  handle(request: DashboardRequest<Record<string, string>, unknown, unknown>): Promise<unknown>;
}

/** A path below `/stores/:storeId` needs a role in that store. */
export function dashboardRoute<const P extends string, Q extends z.ZodType, B extends z.ZodType>(
  shape: Shape<P, Q, B>,
): DashboardRoute {
  return definitionOf(shape) as unknown as DashboardRoute;
}
