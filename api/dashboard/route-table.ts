import type { DashboardRoute } from "./route";
import { dashboardAlertRoutes } from "./routes/alerts";
import { accountRoutes } from "./routes/account";
import { auditRoutes } from "./routes/audit";
import { liveRoutes } from "./routes/live";
import { memberRoutes } from "./routes/members";
import { dashboardServerRoutes } from "./routes/server";
import { dashboardStoreRoutes } from "./routes/stores";
import { userRoutes } from "./routes/users";

/** Routes that the dashboard alone has, by a session. The router and the tests go by this table. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...accountRoutes,
  ...dashboardStoreRoutes,
  ...dashboardAlertRoutes,
  ...memberRoutes,
  ...auditRoutes,
  ...userRoutes,
  ...dashboardServerRoutes,
  ...liveRoutes,
];
