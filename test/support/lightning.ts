import { makeLndClient } from "../../adapters/lnd/lnd-client";
import type { LndClient } from "../../adapters/lnd/client";
import type { LndSettings, LndTimes } from "../../adapters/lnd/connection";
import type { WatchedNode } from "../../commands/lightning/lightning-node";
import type { LightningPort } from "../../commands/ports";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import type { LightningGrpc } from "./devnet/lightning-node";
import { SimulatedLnd, type SimulatedLndOptions } from "./devnet/simulated-lnd";
import { testContext, type TestContext, type TestContextOptions } from "./context";
import { testDatabase } from "./database";

/** Which of LND's macaroons a client is given. */
export type MacaroonName = "admin" | "invoice";

/**
 * Connects again after a pause that a test can wait for. No call is late because the machine is busy: a test of late
 * calls sets its own times.
 */
export const TEST_LND_TIMES: Partial<LndTimes> = {
  call: 30_000,
  addInvoice: 30_000,
  backoff: 50,
  backoffMax: 200,
};

/** A client's settings for a node as it is now: it believes the certificate that the node shows. */
export function lndSettingsOf(grpc: LightningGrpc, macaroon: MacaroonName = "admin"): LndSettings {
  const bytes = macaroon === "admin" ? grpc.adminMacaroon : grpc.invoiceMacaroon;
  return {
    address: grpc.url,
    certificate: { hex: Buffer.from(grpc.tlsCert).toString("hex") },
    macaroon: { hex: bytes.toString("hex") },
  };
}

/** The same for a process: `LND_*`. */
export function lndEnvironment(
  grpc: LightningGrpc,
  macaroon: MacaroonName = "admin",
): Record<"LND_GRPC_URL" | "LND_TLS_CERT_HEX" | "LND_MACAROON_HEX", string> {
  const bytes = macaroon === "admin" ? grpc.adminMacaroon : grpc.invoiceMacaroon;
  return {
    LND_GRPC_URL: grpc.url,
    LND_TLS_CERT_HEX: Buffer.from(grpc.tlsCert).toString("hex"),
    LND_MACAROON_HEX: bytes.toString("hex"),
  };
}

export interface LightningBenchOptions {
  macaroon?: MacaroonName;
  times?: Partial<LndTimes>;
  node?: SimulatedLndOptions;
  context?: Omit<TestContextOptions, "db" | "lightning">;
}

/** As a server has it that has only its own node. */
export function serverNode<C extends LightningPort>(client: C) {
  return { server: true, of: () => client, forget: () => undefined, close: () => undefined };
}

/** The server's node, as its watcher knows it. */
export const SERVER_NODE: WatchedNode = {
  id: SERVER_NODE_ID,
  storeId: null,
  nodeKey: null,
  otherKey: null,
  state: "active",
};

/** As its watcher writes it. */
export async function markNode({ db }: TestContext, values: Partial<LightningNode>): Promise<void> {
  await db.manager.update(LightningNode, { id: SERVER_NODE_ID }, values);
}

/** A simulated LND with its customer, a client of it, and commands on a database. */
export class LightningBench {
  private constructor(
    readonly node: SimulatedLnd,
    readonly lightning: LndClient,
    readonly ctx: TestContext,
  ) {}

  static async start(options: LightningBenchOptions = {}): Promise<LightningBench> {
    const node = await SimulatedLnd.start(options.node);
    const lightning = makeLndClient(lndSettingsOf(node.grpc, options.macaroon), {
      ...TEST_LND_TIMES,
      ...options.times,
    });
    const ctx = await testContext({
      ...options.context,
      db: await testDatabase(),
      lightning: serverNode(lightning),
    });
    return new LightningBench(node, lightning, ctx);
  }

  async stop(): Promise<void> {
    this.lightning.close();
    await this.node.stop();
    await this.ctx.db.destroy();
  }
}
