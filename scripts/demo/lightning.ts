import { makeLndClient } from "../../adapters/lnd/lnd-client";
import { lndSettings } from "../../adapters/lnd/settings";
import { SimulatedLnd } from "../devnet/lightning/simulated-lnd";
import type { LightningCustomer } from "./customer-door";
import { DemoRefusal } from "./folder";

/** A regtest LND and, where it is the simulated one, a customer with a channel to it. */
export interface DemoLightning {
  /** The apps' settings: LND_*. */
  settings: Record<string, string>;
  customer: LightningCustomer | null;
  stop(): Promise<void>;
}

const NAMES = [
  "LND_GRPC_URL",
  "LND_TLS_CERT_FILE",
  "LND_TLS_CERT_HEX",
  "LND_MACAROON_FILE",
  "LND_MACAROON_HEX",
] as const;

async function simulated(dataDir: string): Promise<DemoLightning> {
  const node = await SimulatedLnd.start({ dataDir });
  const customer: LightningCustomer = { pay: async (bolt11) => (await node.pay(bolt11)).preimage };
  return {
    settings: {
      LND_GRPC_URL: node.grpc.url,
      LND_TLS_CERT_FILE: `${dataDir}/tls.cert`,
      LND_MACAROON_FILE: `${dataDir}/admin.macaroon`,
    },
    customer,
    stop: () => node.stop(),
  };
}

/** The visitor's own node, on regtest only. */
async function given(env: NodeJS.ProcessEnv): Promise<DemoLightning> {
  const values = Object.fromEntries(NAMES.map((name) => [name, env[name] || undefined]));
  const settings = lndSettings(values);
  if (settings === null)
    throw new DemoRefusal(
      "LND_GRPC_URL is set, but not its LND_MACAROON_FILE. Set it, or unset it for the simulated LND.",
    );
  const client = makeLndClient(settings);
  try {
    const { network } = await client.info();
    if (network !== "regtest")
      throw new DemoRefusal(
        network === null
          ? "LND's macaroon does not show its network (info:read). The demo has to see that it is regtest; unset LND_GRPC_URL for the simulated LND."
          : `LND_GRPC_URL is a node on ${network}. The demo runs on regtest alone; unset it for the simulated LND.`,
      );
  } catch (error) {
    if (error instanceof DemoRefusal) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DemoRefusal(
      `LND_GRPC_URL is set, but that LND cannot be used: ${reason}. Unset it for the simulated LND.`,
    );
  } finally {
    client.close();
  }
  return {
    settings: Object.fromEntries(NAMES.map((name) => [name, values[name] ?? ""])),
    customer: null,
    stop: async () => undefined,
  };
}

/** The LND of the environment (`LND_GRPC_URL`), else a simulated one that keeps its invoices in `dataDir`. @throws DemoRefusal */
export async function startLightning(env: NodeJS.ProcessEnv, dataDir: string): Promise<DemoLightning> {
  return env["LND_GRPC_URL"] ? given(env) : simulated(dataDir);
}
