import { makeLndClient } from "../../adapters/lnd/lnd-client";
import type { LndSettings } from "../../adapters/lnd/connection";
import { makeProcessMetrics } from "../../adapters/metrics/process-metrics";
import { createDataSource } from "../../database/data-source";
import { runLightningWatch } from "../../workers/lightning-watch";
import { serverNode } from "./lightning";
import { failNow, testContext } from "./context";

/** lightning-watch in a process of its own, to be killed. */
async function main(): Promise<void> {
  const { TEST_DATABASE_URL: databaseUrl = "", TEST_LND: settings = "" } = process.env;
  const db = createDataSource({ databaseUrl, poolMax: 5, applicationName: "lightning-watch" });
  await db.initialize();
  const lnd = makeLndClient(JSON.parse(settings) as LndSettings);
  const lightning = serverNode(lnd);
  const ctx = await testContext({ db, lightning });
  const metrics = makeProcessMetrics({ worker: "lightning-watch", instanceId: "test" });
  runLightningWatch({ ctx, lightning, metrics, holder: String(process.pid), onFatal: failNow });
  process.send?.("running");
}

void main();
