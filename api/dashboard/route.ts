import { type Needs, routesOf } from "../http/route";
import type { DashboardCaller } from "./authenticate-user";

export const dashboardRoute = routesOf<Needs, DashboardCaller>();

export type DashboardRoute = ReturnType<typeof dashboardRoute>;
