import { invoiceRoutes } from "./invoice-routes";
import { keyRoutes } from "./key-routes";
import type { GreenfieldRoute } from "./route";
import { serverRoutes } from "./server-routes";
import { storeRoutes } from "./store-routes";
import { webhookRoutes } from "./webhook-routes";

/** Every endpoint that is served in the dialect of shop plugins, below `/api/v1`. */
export const GREENFIELD_ROUTES: readonly GreenfieldRoute[] = [
  ...keyRoutes,
  ...serverRoutes,
  ...storeRoutes,
  ...invoiceRoutes,
  ...webhookRoutes,
];
