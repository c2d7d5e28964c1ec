import { cpSync } from "node:fs";
import path from "node:path";
import { buildService } from "./built";
import { builtDashboard, DASHBOARD_FOLDER } from "./built-dashboard";

/** Puts the pages where the processes of a `Service` that start from now on find them. */
export async function serveDashboard(): Promise<void> {
  await builtDashboard();
  cpSync(DASHBOARD_FOLDER, path.join(buildService(), "web/dashboard"), { recursive: true });
}
