import path from "node:path";
import { readDashboard, type DashboardFiles } from "../../api/dashboard/dashboard-files";

const { buildPart } = require("../../scripts/npm/build-web.cjs") as {
  buildPart: (name: string, out: string) => Promise<void>;
};

export const DASHBOARD_FOLDER = path.join(__dirname, "../../.test/web/dashboard");

/** The pages as `npm run build` makes them; made again only when their source has changed. */
export async function builtDashboard(): Promise<DashboardFiles> {
  await buildPart("dashboard", DASHBOARD_FOLDER);
  const files = readDashboard(DASHBOARD_FOLDER);
  if (files === null) throw new Error("the dashboard was not built");
  return files;
}
