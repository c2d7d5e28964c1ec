import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { SimulatedNode } from "../devnet/bitcoin/simulated-node";
import { SimulatedLnd } from "../devnet/lightning/simulated-lnd";
import type { Lab } from "./bench";

/** The simulated Bitcoin node and LND. */
export interface Nodes {
  node: SimulatedNode;
  lnd: SimulatedLnd;
  /** `BITCOIND_*`, and `LND_*` with Lightning. */
  env: Record<string, string>;
}

/** In this process, which does little else. They end with the bench. */
export async function simulatedNodes(lab: Lab, { lightning }: { lightning: boolean }): Promise<Nodes> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "quittance-bench-nodes-"));
  const node = await SimulatedNode.start();
  const lnd = await SimulatedLnd.start({ dataDir });
  lab.onEnd(async () => {
    await Promise.all([node.stop(), lnd.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  });
  await node.mine(110);
  const env = {
    BITCOIND_RPC_URL: node.rpcUrl,
    BITCOIND_ZMQ_RAWTX: node.zmqUrls.rawtx,
    BITCOIND_ZMQ_HASHBLOCK: node.zmqUrls.hashblock,
  };
  const lndEnv = {
    LND_GRPC_URL: lnd.grpc.url,
    LND_TLS_CERT_FILE: path.join(dataDir, "tls.cert"),
    LND_MACAROON_FILE: path.join(dataDir, "admin.macaroon"),
  };
  return { node, lnd, env: lightning ? { ...env, ...lndEnv } : env };
}
