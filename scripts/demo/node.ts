import { makeJsonRpc, type JsonRpc } from "../../adapters/bitcoind/json-rpc";
import { SimulatedNode } from "../devnet/bitcoin/simulated-node";
import type { ChainCustomer } from "./customer-door";
import { DemoRefusal } from "./folder";

export interface NodeAddress {
  rpcUrl: string;
  cookieFile?: string | undefined;
}

/** A regtest node and, where it has a wallet, a customer with coins. */
export interface DemoNode extends NodeAddress {
  /** The apps' settings: BITCOIND_*. */
  settings: Record<string, string>;
  customer: ChainCustomer | null;
  stop(): Promise<void>;
}

const FEE_RATE = 5;
/** A block's reward can be spent after a hundred others; with several coins a payment need not hang on the one before. */
const BLOCKS_UNTIL_SPENDABLE = 110;
/** Bitcoin Core built without wallet: the method is not found. */
const NO_WALLET_METHODS = -32601;

function btc(sats: bigint): string {
  return `${sats / 100_000_000n}.${String(sats % 100_000_000n).padStart(8, "0")}`;
}

async function ask<T>(rpc: JsonRpc, method: string, ...params: unknown[]): Promise<T> {
  const answer = await rpc.call(method, ...params);
  if ("error" in answer) throw new DemoRefusal(`The node refuses ${method}: ${answer.error.message}`);
  return answer.result as T;
}

/** Created in a node that has no wallet loaded, or several, so that its owner's coins are not touched. */
const OWN_WALLET = "quittance-demo";

/** The RPC of the wallet that pays: the node's only one, else one of the demo's own; null for a build without wallets. */
async function walletOf({ rpcUrl, cookieFile }: NodeAddress): Promise<JsonRpc | null> {
  const rpc = makeJsonRpc({ url: rpcUrl, cookieFile });
  const balance = await rpc.call("getbalance");
  if (!("error" in balance)) return rpc;
  if (balance.error.code === NO_WALLET_METHODS) return null;
  const names = await ask<string[]>(rpc, "listwallets");
  if (!names.includes(OWN_WALLET)) {
    const loaded = await rpc.call("loadwallet", OWN_WALLET);
    if ("error" in loaded) await ask(rpc, "createwallet", OWN_WALLET);
  }
  return makeJsonRpc({ url: new URL(`/wallet/${OWN_WALLET}`, rpcUrl).href, cookieFile });
}

/** A node's customer, with coins to spend; null where the node cannot have one. */
export async function customerOf(node: NodeAddress): Promise<ChainCustomer | null> {
  const rpc = await walletOf(node);
  if (rpc === null) return null;
  const mineTo = await ask<string>(rpc, "getnewaddress");
  const mine = async (count: number): Promise<void> => {
    await ask(rpc, "generatetoaddress", count, mineTo);
  };
  if (Number(await ask<number>(rpc, "getbalance")) < 1) await mine(BLOCKS_UNTIL_SPENDABLE);
  return {
    // A regtest node has no fee estimates, so the rate is given: the tenth argument.
    pay: (address, sats) =>
      ask<string>(
        ...[rpc, "sendtoaddress", address, btc(sats), "", "", false, true, null, "unset", false, FEE_RATE],
      ),
    doubleSpend: async (txid, sats) => {
      const outputs = [{ [await ask<string>(rpc, "getnewaddress")]: btc(sats) }];
      const answer = await rpc.call("bumpfee", txid, { outputs }); // Bitcoin Core 25 or newer
      if ("error" in answer)
        throw new DemoRefusal(`That payment cannot be double-spent any more: ${answer.error.message}`);
      return (answer.result as { txid: string }).txid;
    },
    mine,
  };
}

/** A regtest node whose last block is a day old believes that it is still downloading, and payments wait for it. */
async function wake(rpc: JsonRpc, customer: ChainCustomer | null): Promise<void> {
  const { initialblockdownload } = await ask<{ initialblockdownload: boolean }>(rpc, "getblockchaininfo");
  if (!initialblockdownload) return;
  if (customer === null)
    throw new DemoRefusal(
      "Your node believes that it is still downloading, as its last block is old. Mine one (bitcoin-cli -regtest generatetoaddress 1 <address>) and start again.",
    );
  await customer.mine(1);
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

/** The visitor's own node, on regtest only. */
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
  const customer = await customerOf({ rpcUrl, cookieFile });
  await wake(rpc, customer);
  const names = ["BITCOIND_RPC_URL", "BITCOIND_COOKIE_FILE", "BITCOIND_ZMQ_RAWTX", "BITCOIND_ZMQ_HASHBLOCK"];
  return {
    rpcUrl,
    cookieFile,
    settings: Object.fromEntries(names.map((name) => [name, env[name] ?? ""])),
    customer,
    stop: async () => undefined,
  };
}

/** The node of the environment (`BITCOIND_RPC_URL`), else a simulated one that keeps its chain in `dataDir`. @throws DemoRefusal */
export async function startNode(env: NodeJS.ProcessEnv, dataDir: string): Promise<DemoNode> {
  const rpcUrl = env["BITCOIND_RPC_URL"];
  return rpcUrl ? given(env, rpcUrl) : simulated(dataDir);
}
