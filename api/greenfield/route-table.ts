import { invoiceRoutes } from "./invoice-routes";
import { keyRoutes } from "./key-routes";
import type { GreenfieldRoute } from "./route";
import { serverRoutes } from "./server-routes";
import { storeRoutes } from "./store-routes";
import { webhookRoutes } from "./webhook-routes";

export const GREENFIELD_ROUTES: readonly GreenfieldRoute[] = [
  ...keyRoutes,
  ...serverRoutes,
  ...storeRoutes,
  ...invoiceRoutes,
  ...webhookRoutes,
];
