import { makeBitcoindRpc } from "../../adapters/bitcoind/rpc";
import { makeProcessMetrics } from "../../adapters/metrics/process-metrics";
import { createDataSource } from "../../database/data-source";
import { runChainWatch } from "../../workers/chain-watch";
import { failNow, testContext } from "./context";

/** chain-watch in a process of its own, to be killed. */
async function main(): Promise<void> {
  const { TEST_DATABASE_URL: databaseUrl = "", TEST_RPC_URL: rpcUrl = "" } = process.env;
  const db = createDataSource({ databaseUrl, poolMax: 5, applicationName: "chain-watch" });
  await db.initialize();
  const chain = makeBitcoindRpc({ url: rpcUrl });
  const ctx = await testContext({ db, chain });
  const metrics = makeProcessMetrics({ worker: "chain-watch", instanceId: "test" });
  runChainWatch({ ctx, chain, metrics, zmq: { rpcUrl }, holder: String(process.pid), onFatal: failNow });
  process.send?.("running");
}

void main();
