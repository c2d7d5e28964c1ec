import { once } from "node:events";
import { connect } from "node:net";
import { makeBitcoindRpc, type BitcoindRpc } from "../../../adapters/bitcoind/rpc";
import { zmqAddresses } from "../../../adapters/bitcoind/zmq-addresses";
import { type Config, minPeersOf } from "../../../config/schema";
import type { Network } from "../../../domain/network";
import {
  type Check,
  failed,
  type Finding,
  listed,
  named,
  off,
  ok,
  reasonOf,
  unknown,
  warning,
} from "./check";

const DEADLINE_MS = 5_000;
const GREETING_MS = 2_000;
const TIP_HOURS_MAX = 3;
const NAMES = [
  "bitcoin",
  "bitcoin-network",
  "bitcoin-sync",
  "bitcoin-pruning",
  "bitcoin-mempool",
  "bitcoin-peers",
  "bitcoin-zmq",
] as const;
/** bitcoind's own names. */
const CHAINS: Record<Network, string> = {
  mainnet: "main",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "regtest",
};
/** The first byte of a ZMTP greeting (RFC 23). */
const ZMTP_FIRST_BYTE = 0xff;

type NodeInfo = Awaited<ReturnType<BitcoindRpc["info"]>>;

function networkCheck(info: NodeInfo, network: Network | undefined): Finding {
  if (network === undefined) return unknown(`The node is on ${info.chain}; NETWORK is missing or wrong.`);
  return info.chain === CHAINS[network]
    ? ok(info.chain)
    : failed(
        `The node is on ${info.chain}, but NETWORK is ${network}.`,
        "Point BITCOIND_RPC_URL to a node of this network.",
      );
}

function syncCheck(info: NodeInfo): Finding {
  const behind = info.headers - info.blocks;
  if (!info.initialBlockDownload && behind <= 1) return ok(`At block ${info.blocks}.`);
  return failed(
    `The node is still syncing: ${info.blocks} of ${info.headers} blocks.`,
    "Wait until it has caught up: payments are seen and invoices expire only then.",
  );
}

function pruningCheck(info: NodeInfo): Finding {
  return info.pruneHeight === 0
    ? ok("It keeps all blocks.")
    : ok(`It keeps blocks from ${info.pruneHeight} on: a rescan reaches no further back.`);
}

async function mempoolCheck(rpc: BitcoindRpc): Promise<Finding> {
  return (await rpc.mempoolLoaded())
    ? ok("Loaded.")
    : failed("The node is still reading its mempool.", "Wait a few minutes after a start.");
}

/** Whether it receives what others broadcast. */
async function peersCheck(rpc: BitcoindRpc, config: Partial<Config>, info: NodeInfo): Promise<Finding> {
  const node = await rpc.connectivity();
  if (!node.relaysTransactions)
    return failed("The node relays no transactions.", "Set blocksonly=0 in bitcoin.conf.");
  const wanted = minPeersOf(config);
  if (wanted === 0) return ok("BITCOIND_MIN_PEERS is 0: the node counts as the whole network.");
  await rpc.pingPeers(); // whether rpcwhitelist allows it
  const peers = node.peers.filter((peer) => peer.relaysTransactions && peer.syncedHeaders >= 0).length;
  if (peers < wanted)
    return failed(
      `${peers} peers relay transactions and have announced their blocks; BITCOIND_MIN_PEERS is ${wanted}.`,
      "Check the node's network, firewall or Tor: no invoice expires unpaid until it has peers.",
    );
  const hours = Math.floor((Date.now() / 1_000 - info.tipTimeSeconds) / 3_600);
  return config.NETWORK === "mainnet" && hours >= TIP_HOURS_MAX
    ? warning(`The last block is ${hours} hours old.`, "Check the node's peers and its clock.")
    : ok(`${peers} peers.`);
}

/** Whether a ZeroMQ socket answers there. */
async function answersZmq(address: string): Promise<boolean> {
  const [, host = "", port = ""] = /^tcp:\/\/(.+):(\d+)$/.exec(address) ?? [];
  if (host === "") return true; // ipc: bitcoind shares our host, and the RPC answered
  const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port: Number(port) });
  try {
    const [greeting] = (await once(socket, "data", { signal: AbortSignal.timeout(GREETING_MS) })) as [Buffer];
    return greeting[0] === ZMTP_FIRST_BYTE;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function zmqCheck(rpc: BitcoindRpc, config: Partial<Config>): Promise<Finding> {
  const addresses = zmqAddresses(
    {
      rpcUrl: config.BITCOIND_RPC_URL ?? "",
      rawtx: config.BITCOIND_ZMQ_RAWTX,
      hashblock: config.BITCOIND_ZMQ_HASHBLOCK,
    },
    await rpc.zmqNotifications(),
  );
  const topics = ["rawtx", "hashblock"] as const;
  const missing = topics.filter((topic) => addresses[topic] === null);
  if (missing.length > 0)
    return warning(
      `The node publishes no ${missing.join(" and no ")}: payments are seen only by polling every few seconds.`,
      `In bitcoin.conf set ${missing.map((topic) => `zmqpub${topic}=tcp://127.0.0.1:2833${topic === "rawtx" ? 2 : 3}`).join(" and ")}, and restart bitcoind.`,
    );
  const silent: string[] = [];
  for (const topic of topics) if (!(await answersZmq(addresses[topic] ?? ""))) silent.push(topic);
  return silent.length === 0
    ? ok("rawtx and hashblock answer.")
    : warning(
        `No publisher answers for ${silent.join(" and ")}: payments are seen only by polling every few seconds.`,
        "Let bitcoind bind where this host can reach it (zmqpubrawtx, zmqpubhashblock), or set BITCOIND_ZMQ_RAWTX and BITCOIND_ZMQ_HASHBLOCK.",
      );
}

/** All checks of the node; `configured`: whether BITCOIND_RPC_URL is given, be it right or wrong. */
export async function bitcoinChecks(config: Partial<Config>, configured: boolean): Promise<Check[]> {
  if (!configured) return listed(NAMES, [], off("BITCOIND_RPC_URL is not set: on-chain payments are off."));
  const { BITCOIND_RPC_URL: url, BITCOIND_COOKIE_FILE: cookieFile } = config;
  if (url === undefined) return listed(NAMES, [], unknown("BITCOIND_RPC_URL is wrong."));
  const rpc = makeBitcoindRpc({ url, cookieFile, deadlineMs: DEADLINE_MS });
  const unanswered = (error: unknown): Finding => unknown(`The node did not answer: ${reasonOf(error)}`);
  try {
    const info = await rpc.info();
    return named({
      bitcoin: ok("The node answers."),
      "bitcoin-network": networkCheck(info, config.NETWORK),
      "bitcoin-sync": syncCheck(info),
      "bitcoin-pruning": pruningCheck(info),
      "bitcoin-mempool": await mempoolCheck(rpc).catch(unanswered),
      "bitcoin-peers": await peersCheck(rpc, config, info).catch(unanswered),
      "bitcoin-zmq": await zmqCheck(rpc, config).catch(unanswered),
    });
  } catch (error) {
    const away = failed(
      `The node is not reachable: ${reasonOf(error)}`,
      "Does bitcoind run with server=1, may this host call it (rpcallowip), and are BITCOIND_RPC_URL's user and password, or BITCOIND_COOKIE_FILE, right?",
    );
    return listed(NAMES, [away], unknown("Unknown without the node."));
  }
}
