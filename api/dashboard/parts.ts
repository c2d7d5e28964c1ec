import type { QueueStats } from "../../adapters/queues/connect";
import type { SiteParts } from "../checkout/site";
import type { HttpParts } from "../http/parts";
import type { HealthParts } from "../server/health-routes";

export interface DashboardParts extends HttpParts, HealthParts, SiteParts {
  queueStats: () => Promise<QueueStats>;
}
