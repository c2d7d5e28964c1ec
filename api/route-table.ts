import { describeApi } from "./openapi/document";
import type { Route } from "./http/route";
import { alertRoutes } from "./alerts/routes";
import { apiKeyRoutes } from "./api-keys/routes";
import { DASHBOARD_ROUTES } from "./dashboard/route-table";
import type { DashboardRoute } from "./dashboard/route";
import { deliveryRoutes } from "./webhooks/delivery-routes";
import { descriptionRoute } from "./openapi/routes";
import { eventRoutes } from "./events/routes";
import { type HealthRoute, healthRoutes } from "./server/health-routes";
import { invoiceChangeRoutes } from "./invoices/change-routes";
import { invoiceExportRoutes } from "./invoices/export-routes";
import { invoiceRoutes } from "./invoices/routes";
import { paymentLinkRoutes } from "./payment-links/routes";
import { paymentMethodRoutes } from "./payment-methods/routes";
import { paymentRoutes } from "./payments/routes";
import { rateRoutes } from "./rates/routes";
import { reportRoutes } from "./reports/routes";
import { reviewRoutes } from "./reviews/routes";
import { serverRoutes } from "./server/routes";
import { storeRoutes } from "./stores/routes";
import { webhookRoutes } from "./webhooks/routes";

/** Router, OpenAPI description and tests use these tables. */
export const ROUTES: readonly Route[] = [
  ...serverRoutes,
  ...storeRoutes,
  ...paymentMethodRoutes,
  ...apiKeyRoutes,
  ...invoiceExportRoutes,
  ...invoiceRoutes,
  ...invoiceChangeRoutes,
  ...reviewRoutes,
  ...paymentLinkRoutes,
  ...paymentRoutes,
  ...alertRoutes,
  ...rateRoutes,
  ...reportRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  descriptionRoute(describe),
];

/** By a session's cookie. */
export const SESSION_ROUTES: readonly DashboardRoute[] = [
  ...DASHBOARD_ROUTES,
  ...ROUTES.filter(({ keyOnly }) => keyOnly !== true),
];

export const PUBLIC_ROUTES: readonly HealthRoute[] = healthRoutes;

const described = new Map<string, string>();

export function describe(version: string): string {
  const text = described.get(version) ?? JSON.stringify(describeApi([...ROUTES, ...PUBLIC_ROUTES], version));
  described.set(version, text);
  return text;
}
