import { invoiceRoutes } from "./invoice-routes";
import { noQuery } from "../http/schemas/text";
import { keyRoutes } from "./key-routes";
import { anyQuery } from "./request";
import type { GreenfieldRoute } from "./route";
import { serverRoutes } from "./server-routes";
import { storeRoutes } from "./store-routes";
import { webhookRoutes } from "./webhook-routes";

/** Plugins send parameters of their own. */
export const GREENFIELD_ROUTES: readonly GreenfieldRoute[] = [
  ...keyRoutes,
  ...serverRoutes,
  ...storeRoutes,
  ...invoiceRoutes,
  ...webhookRoutes,
].map((route) => (route.query === noQuery ? { ...route, query: anyQuery } : route));
