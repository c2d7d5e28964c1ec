import type { ProcessMetrics } from "../../adapters/metrics/process-metrics";
import type { QueueStats } from "../../adapters/queues/connect";
import type { SiteParts } from "../checkout/site";
import type { HttpParts } from "../http/parts";
import type { HealthParts } from "../server/health-routes";

export interface DashboardParts extends HttpParts, HealthParts, SiteParts {
  metrics: Pick<ProcessMetrics, "refusal" | "stream">;
  queueStats: () => Promise<QueueStats>;
}
