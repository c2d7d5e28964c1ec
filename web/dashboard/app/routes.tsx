import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { QueryClient } from "@tanstack/react-query";
import { isNotLoggedIn } from "../api/call";
import { sessionQuery } from "../api/session";
import { Loading } from "../kit/loaded";
import { readAlertSearch } from "../pages/alerts/search";
import { readAuditSearch } from "../pages/admin-audit/search";
import { readSettingsSearch } from "../pages/general-settings/search";
import { readBooksSearch } from "../pages/books/search";
import { readReviewSearch } from "../pages/reviews/search";
import { readInvoiceSearch } from "../pages/invoices/search";
import { readReportSearch } from "../pages/reports/search";
import { readDeliverySearch } from "../pages/webhook/search";
import { CONNECT_PATH, nextOf } from "../api/arrival";
import { lastStore } from "./last-store";
import { NotFoundPage } from "./not-found";
import { PageFailure } from "./page-failure";
import { RootFrame } from "./root-frame";
import { Shell } from "./shell";
import { StoreFrame } from "./store-frame";
import { onlyStore } from "./store-switcher";

// Each page is a file that is loaded at the first visit.

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: RootFrame,
  notFoundComponent: NotFoundPage,
  errorComponent: PageFailure,
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search): { next?: string } =>
    typeof search["next"] === "string" ? { next: search["next"] } : {},
  component: lazyRouteComponent(() => import("../pages/login"), "LoginPage"),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: lazyRouteComponent(() => import("../pages/setup"), "SetupPage"),
});

const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: "/unsubscribe",
  component: lazyRouteComponent(() => import("../pages/mails/unsubscribe-page"), "UnsubscribePage"),
});

const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Shell,
  pendingComponent: () => <Loading />,
  beforeLoad: ({ context, location }) => requireLogin(context.queries, location),
});

/** @throws a redirect to the login, which leads back, or to the account while it owes a second factor. */
async function requireLogin(
  queries: QueryClient,
  location: { pathname: string; href: string },
): Promise<void> {
  try {
    const { owesSecondFactor } = await queries.ensureQueryData(sessionQuery);
    if (owesSecondFactor && !location.pathname.startsWith("/account")) throw redirect({ to: "/account" });
  } catch (error) {
    if (!isNotLoggedIn(error)) throw error;
    throw redirect({ to: "/login", search: location.href === "/" ? {} : { next: nextOf(location) } });
  }
}

/** Without the usual frame, and a document of its own. */
const connect = createRoute({
  getParentRoute: () => root,
  path: CONNECT_PATH,
  component: lazyRouteComponent(() => import("../pages/connect"), "ConnectPage"),
  pendingComponent: () => <Loading />,
  beforeLoad: ({ context, location }) => requireLogin(context.queries, location),
});

const start = createRoute({
  getParentRoute: () => inside,
  path: "/",
  async beforeLoad({ context }) {
    const storeId = lastStore.read() ?? (await onlyStore(context.queries));
    throw storeId === null
      ? redirect({ to: "/stores", replace: true })
      : redirect({ to: "/stores/$storeId", params: { storeId }, replace: true });
  },
});

const stores = createRoute({
  getParentRoute: () => inside,
  path: "/stores",
  component: lazyRouteComponent(() => import("../pages/stores"), "StoresPage"),
});

const account = createRoute({
  getParentRoute: () => inside,
  path: "/account",
  component: lazyRouteComponent(() => import("../pages/account"), "AccountPage"),
});

const afterReset = createRoute({
  getParentRoute: () => inside,
  path: "/account/after-reset",
  component: lazyRouteComponent(() => import("../pages/after-reset"), "AfterResetPage"),
});

const store = createRoute({
  getParentRoute: () => inside,
  path: "/stores/$storeId",
  component: StoreFrame,
});

const storeHome = createRoute({
  getParentRoute: () => store,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/store-home"), "StoreHomePage"),
});

const invoices = createRoute({
  getParentRoute: () => store,
  path: "/invoices",
  validateSearch: readInvoiceSearch,
  component: lazyRouteComponent(() => import("../pages/invoices"), "InvoicesPage"),
});

const newInvoice = createRoute({
  getParentRoute: () => store,
  path: "/invoices/new",
  component: lazyRouteComponent(() => import("../pages/new-invoice"), "NewInvoicePage"),
});

const invoice = createRoute({
  getParentRoute: () => store,
  path: "/invoices/$invoiceId",
  component: lazyRouteComponent(() => import("../pages/invoice"), "InvoicePage"),
});

const invoiceById = createRoute({
  getParentRoute: () => inside,
  path: "/invoices/$invoiceId",
  component: lazyRouteComponent(() => import("../pages/invoice-by-id"), "InvoiceByIdPage"),
});

const deliveryById = createRoute({
  getParentRoute: () => inside,
  path: "/deliveries/$deliveryId",
  component: lazyRouteComponent(() => import("../pages/delivery-by-id"), "DeliveryByIdPage"),
});

const paymentLinks = createRoute({
  getParentRoute: () => store,
  path: "/payment-links",
  component: lazyRouteComponent(() => import("../pages/payment-links"), "PaymentLinksPage"),
});

const webhooks = createRoute({
  getParentRoute: () => store,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("../pages/webhooks"), "WebhooksPage"),
});

const webhook = createRoute({
  getParentRoute: () => store,
  path: "/webhooks/$webhookId",
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import("../pages/webhook"), "WebhookPage"),
});

const delivery = createRoute({
  getParentRoute: () => store,
  path: "/webhooks/$webhookId/deliveries/$deliveryId",
  component: lazyRouteComponent(() => import("../pages/delivery"), "DeliveryPage"),
});

const generalSettings = createRoute({
  getParentRoute: () => store,
  path: "/settings/general",
  validateSearch: readSettingsSearch,
  component: lazyRouteComponent(() => import("../pages/general-settings"), "GeneralSettingsPage"),
});

const paymentMethods = createRoute({
  getParentRoute: () => store,
  path: "/settings/payment-methods",
  component: lazyRouteComponent(() => import("../pages/payment-methods"), "PaymentMethodsPage"),
});

const apiKeys = createRoute({
  getParentRoute: () => store,
  path: "/settings/api-keys",
  component: lazyRouteComponent(() => import("../pages/api-keys"), "ApiKeysPage"),
});

const storeUsers = createRoute({
  getParentRoute: () => store,
  path: "/settings/users",
  component: lazyRouteComponent(() => import("../pages/store-users"), "StoreUsersPage"),
});

const reviews = createRoute({
  getParentRoute: () => store,
  path: "/reviews",
  validateSearch: readReviewSearch,
  component: lazyRouteComponent(() => import("../pages/reviews"), "ReviewsPage"),
});

const mails = createRoute({
  getParentRoute: () => store,
  path: "/settings/mails",
  component: lazyRouteComponent(() => import("../pages/mails/mails-page"), "MailsPage"),
});

const reports = createRoute({
  getParentRoute: () => store,
  path: "/reports",
  validateSearch: readReportSearch,
  component: lazyRouteComponent(() => import("../pages/reports/reports-page"), "ReportsPage"),
});

const books = createRoute({
  getParentRoute: () => store,
  path: "/books",
  validateSearch: readBooksSearch,
  component: lazyRouteComponent(() => import("../pages/books/books-page"), "BooksPage"),
});

const alerts = createRoute({
  getParentRoute: () => store,
  path: "/alerts",
  validateSearch: readAlertSearch,
  component: lazyRouteComponent(() => import("../pages/alerts"), "AlertsPage"),
});

const adminUsers = createRoute({
  getParentRoute: () => inside,
  path: "/admin/users",
  component: lazyRouteComponent(() => import("../pages/admin-users"), "AdminUsersPage"),
});

const adminHealth = createRoute({
  getParentRoute: () => inside,
  path: "/admin/health",
  component: lazyRouteComponent(() => import("../pages/admin-health"), "AdminHealthPage"),
});

const adminAudit = createRoute({
  getParentRoute: () => inside,
  path: "/admin/audit",
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import("../pages/admin-audit"), "AdminAuditPage"),
});

export const routeTree = root.addChildren([
  login,
  setup,
  unsubscribe,
  connect,
  inside.addChildren([
    start,
    stores,
    account,
    afterReset,
    invoiceById,
    deliveryById,
    store.addChildren([
      storeHome,
      invoices,
      newInvoice,
      invoice,
      paymentLinks,
      webhooks,
      webhook,
      delivery,
      generalSettings,
      paymentMethods,
      apiKeys,
      storeUsers,
      reviews,
      books,
      alerts,
      mails,
      reports,
    ]),
    adminUsers,
    adminHealth,
    adminAudit,
  ]),
]);
