import type { PublicRoute, Route } from "./route";
import { deliveryRoutes } from "./routes/deliveries";
import { healthRoutes } from "./routes/health";
import { invoiceRoutes } from "./routes/invoices";
import { webhookRoutes } from "./routes/webhooks";

/** Every route that needs a key. The router, the API's description and the tests go by these tables. */
export const ROUTES: readonly Route[] = [...invoiceRoutes, ...webhookRoutes, ...deliveryRoutes];

export const PUBLIC_ROUTES: readonly PublicRoute[] = healthRoutes;
