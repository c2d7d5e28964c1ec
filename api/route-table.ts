import { describeApi } from "./openapi/document";
import type { PublicRoute, Route } from "./route";
import { alertRoutes } from "./routes/alerts";
import { apiKeyRoutes } from "./routes/api-keys";
import { deliveryRoutes } from "./routes/deliveries";
import { descriptionRoute } from "./routes/description";
import { eventRoutes } from "./routes/events";
import { healthRoutes } from "./routes/health";
import { invoiceChangeRoutes } from "./routes/invoice-changes";
import { invoiceExportRoutes } from "./routes/invoice-export";
import { invoiceRoutes } from "./routes/invoices";
import { paymentMethodRoutes } from "./routes/payment-methods";
import { rateRoutes } from "./routes/rates";
import { serverRoutes } from "./routes/server";
import { storeRoutes } from "./routes/stores";
import { webhookRoutes } from "./routes/webhooks";

/** Every route that needs a key. The router, the API's description and the tests go by these tables. */
export const ROUTES: readonly Route[] = [
  ...serverRoutes,
  ...storeRoutes,
  ...paymentMethodRoutes,
  ...apiKeyRoutes,
  ...invoiceExportRoutes,
  ...invoiceRoutes,
  ...invoiceChangeRoutes,
  ...alertRoutes,
  ...rateRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  descriptionRoute(describe),
];

export const PUBLIC_ROUTES: readonly PublicRoute[] = healthRoutes;

const described = new Map<string, string>();

/** The API's description as JSON text. */
export function describe(version: string): string {
  const text = described.get(version) ?? JSON.stringify(describeApi([...ROUTES, ...PUBLIC_ROUTES], version));
  described.set(version, text);
  return text;
}
