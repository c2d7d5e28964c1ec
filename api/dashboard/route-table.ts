import type { DashboardRoute } from "./route";
import { dashboardAlertRoutes } from "./server/alert-routes";
import { accountRoutes } from "./account/routes";
import { connectionRoutes } from "./stores/connection-routes";
import { auditRoutes } from "./server/audit-routes";
import { invitationRoutes } from "./stores/invitation-routes";
import { lightningRoutes } from "./stores/lightning-routes";
import { liveRoutes } from "./live-routes";
import { mailRoutes } from "./stores/mail-routes";
import { memberRoutes } from "./stores/member-routes";
import { dashboardServerRoutes } from "./server/routes";
import { dashboardStoreRoutes } from "./stores/routes";
import { userRoutes } from "./server/user-routes";

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...accountRoutes,
  ...invitationRoutes,
  ...dashboardStoreRoutes,
  ...connectionRoutes,
  ...lightningRoutes,
  ...dashboardAlertRoutes,
  ...mailRoutes,
  ...memberRoutes,
  ...auditRoutes,
  ...userRoutes,
  ...dashboardServerRoutes,
  ...liveRoutes,
];
