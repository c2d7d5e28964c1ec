import { makeJsonRpc, type JsonRpc } from "../../adapters/bitcoind/json-rpc";
import { SimulatedNode } from "../devnet/bitcoin/simulated-node";
import { DemoRefusal } from "./folder";

export interface NodeAddress {
  rpcUrl: string;
  cookieFile?: string | undefined;
}

/** A regtest node and, where it has a wallet, a customer with coins. */
export interface DemoNode extends NodeAddress {
  /** What the apps are told: BITCOIND_* settings. */
  settings: Record<string, string>;
  customer: Customer | null;
  stop(): Promise<void>;
}

export interface Customer {
  /** Answers the txid. */
  pay(address: string, sats: bigint): Promise<string>;
  mine(count: number): Promise<void>;
}

const FEE_RATE = 5;
/** A block's reward can be spent after a hundred others. */
const BLOCKS_UNTIL_SPENDABLE = 101;
/** Bitcoin Core: "No wallet is loaded", "Wallet file not specified", and a build without wallet. */
const NO_WALLET = [-18, -19, -32601];

function btc(sats: bigint): string {
  return `${sats / 100_000_000n}.${String(sats % 100_000_000n).padStart(8, "0")}`;
}

async function ask<T>(rpc: JsonRpc, method: string, ...params: unknown[]): Promise<T> {
  const answer = await rpc.call(method, ...params);
  if ("error" in answer) throw new DemoRefusal(`The node refuses ${method}: ${answer.error.message}`);
  return answer.result as T;
}

/** The wallet of a node, as its RPC has it; null when it has none. */
export async function customerOf({ rpcUrl, cookieFile }: NodeAddress): Promise<Customer | null> {
  const rpc = makeJsonRpc({ url: rpcUrl, cookieFile });
  const balance = await rpc.call("getbalance");
  if ("error" in balance && NO_WALLET.includes(balance.error.code)) return null;
  const mineTo = await ask<string>(rpc, "getnewaddress");
  const mine = async (count: number): Promise<void> => {
    await ask(rpc, "generatetoaddress", count, mineTo);
  };
  if (Number(await ask<number>(rpc, "getbalance")) < 1) await mine(BLOCKS_UNTIL_SPENDABLE);
  return {
    // A regtest node knows no fees, so the rate is named: the tenth argument.
    pay: (address, sats) =>
      ask<string>(
        ...[rpc, "sendtoaddress", address, btc(sats), "", "", false, true, null, "unset", false, FEE_RATE],
      ),
    mine,
  };
}

async function simulated(dataDir: string): Promise<DemoNode> {
  const node = await SimulatedNode.start({ dataDir });
  return {
    rpcUrl: node.rpcUrl,
    settings: {
      BITCOIND_RPC_URL: node.rpcUrl,
      BITCOIND_ZMQ_RAWTX: node.zmqUrls.rawtx,
      BITCOIND_ZMQ_HASHBLOCK: node.zmqUrls.hashblock,
    },
    customer: await customerOf({ rpcUrl: node.rpcUrl }),
    stop: () => node.stop(),
  };
}

/** A node of the visitor's own, on regtest alone. */
async function given(env: NodeJS.ProcessEnv, rpcUrl: string): Promise<DemoNode> {
  const cookieFile = env["BITCOIND_COOKIE_FILE"] || undefined;
  const rpc = makeJsonRpc({ url: rpcUrl, cookieFile });
  const { chain } = await ask<{ chain: string }>(rpc, "getblockchaininfo").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DemoRefusal(
      `BITCOIND_RPC_URL is set, but that node cannot be used: ${reason}. Unset it for the simulated node.`,
    );
  });
  if (chain !== "regtest")
    throw new DemoRefusal(
      `BITCOIND_RPC_URL is a node on ${chain}. The demo runs on regtest alone; unset it for the simulated node.`,
    );
  const names = ["BITCOIND_RPC_URL", "BITCOIND_COOKIE_FILE", "BITCOIND_ZMQ_RAWTX", "BITCOIND_ZMQ_HASHBLOCK"];
  return {
    rpcUrl,
    cookieFile,
    settings: Object.fromEntries(names.map((name) => [name, env[name] ?? ""])),
    customer: await customerOf({ rpcUrl, cookieFile }),
    stop: async () => undefined,
  };
}

/** The node of the environment (`BITCOIND_RPC_URL`), else a simulated one that keeps its chain in `dataDir`. @throws DemoRefusal */
export async function startNode(env: NodeJS.ProcessEnv, dataDir: string): Promise<DemoNode> {
  const rpcUrl = env["BITCOIND_RPC_URL"];
  return rpcUrl ? given(env, rpcUrl) : simulated(dataDir);
}
