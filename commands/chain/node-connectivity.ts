import { openBlindGap, openBlindSince } from "./chain-gaps";
import { readChainStanding } from "../invoices/decisions";
import { NodeUnavailableError } from "../../domain/errors";
import type { Peer, PeerEcho } from "../../domain/chain/peer-echo";
import type { Network } from "../../domain/network";
import type { CommandContext } from "../context";
import type { ChainPort, NodeInfo } from "../ports";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import type { ChainWatch } from "./chain-watch";
import { inTransaction } from "../transaction";

/** The apparent difference between clocks that are read one after the other. */
const SLACK_MS = 5_000;
/**
 * On mainnet one block in some sixty million takes longer. A node without one for so long is cut off, or on its own
 * chain.
 */
const TIP_AGE_MAX_MS = 3 * 3_600_000;
const TIP = "tip";
const UNPROVEN_MAX_MS = 60_000;
const NODE_CHAINS: Record<Network, string> = {
  mainnet: "main",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "regtest",
};

/** Read when a check begins: the node's connection to the network. */
interface Hearing {
  uptimeSeconds: number;
  highestHeader: number;
  /** Why the node does not receive all transactions; null when it does, or when that is still to be seen. */
  deaf: string | null;
  /** Up to when what the network broadcast has reached the node; null when that is not certain yet. */
  heardUpTo: Date | null;
}

/**
 * Whether the node receives what the network broadcasts, proven by an echo (domain/chain/peer-echo). The check that began
 * at `startedAt` pings the peers; a later one, which reads the mempool after their answers, may claim that instant. A gap
 * is recorded if nobody answers, or if the node was restarted or lost its peers since the last instant that was claimed.
 * With BITCOIND_MIN_PEERS=0 the node counts as the whole network.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function checkConnectivity(
  watch: ChainWatch,
  echo: PeerEcho,
  info: NodeInfo,
  startedAt: Date,
): Promise<Hearing> {
  const { ctx, chain } = watch;
  const { minPeers } = ctx.settings;
  const node = await chain.connectivity();
  const { uptimeSeconds, peers } = node;
  const highestHeader = Math.max(info.headers, ...peers.map(({ syncedHeaders }) => syncedHeaders));
  const relays = node.relaysTransactions
    ? null
    : "The Bitcoin node relays no transactions (blocksonly): payments are not seen before they are in a block. Set blocksonly=0 in bitcoin.conf.";
  const hearing = { uptimeSeconds, highestHeader };
  if (minPeers === 0) return { ...hearing, deaf: relays, heardUpTo: startedAt };
  const { caughtUpTo } = await readChainStanding(ctx.db.manager);
  const now = await ctx.now(ctx.db.manager); // after the answer, because a slow answer must not hide a restart
  const seenToRun = echo.noteUptime(uptimeSeconds, now);
  if (!seenToRun && startedAfter(caughtUpTo, uptimeSeconds, now))
    await openBlindGap(watch, "the node was restarted");
  const counting = echo.counting(peers, info.blocks);
  const answer = echo.read(counting, { least: minPeers, now: startedAt, caughtUpTo });
  const unasked = echo.pingIsDue ? await pingPeers(chain, echo, peers, startedAt) : null;
  const missing =
    unasked !== null
      ? `cannot be asked whether it hears its peers (ping: ${unasked})`
      : counting.length < minPeers
        ? `has ${counting.length} peers that relay transactions and have announced their blocks`
        : echo.silent
          ? `lists ${counting.length} peers that relay transactions, but too few of them answer`
          : null;
  if (relays === null && missing === null) {
    if (answer?.unbroken === false) await openBlindGap(watch, "the node lost its peers");
    return { ...hearing, deaf: null, heardUpTo: answer?.sentAt ?? null };
  }
  await openBlindGap(
    watch,
    relays === null ? "the node hears too few peers" : "the node relays no transactions",
  );
  const since = await openBlindSince(ctx.db.manager);
  const blind = since === null ? "" : ` Payments may have been missed since ${since.toISOString()}.`;
  const problem = relays ?? `The Bitcoin node ${missing}; BITCOIND_MIN_PEERS is ${minPeers}.`;
  return { ...hearing, deaf: `${problem}${blind}`, heardUpTo: null };
}

/** Answers why the node does not: its rpcwhitelist may lack `ping`, which keeps it from nothing else. */
async function pingPeers(
  chain: ChainPort,
  echo: PeerEcho,
  peers: readonly Peer[],
  startedAt: Date,
): Promise<string | null> {
  try {
    await chain.pingPeers();
    echo.ping(peers, startedAt);
    return null;
  } catch (error) {
    if (error instanceof NodeUnavailableError) return error.message;
    throw error;
  }
}

/** Whether the node reports a start after the beginning of the last complete check. */
function startedAfter(caughtUpTo: Date | null, uptimeSeconds: number, now: Date): boolean {
  return caughtUpTo !== null && uptimeSeconds * 1_000 < now.getTime() - caughtUpTo.getTime() + SLACK_MS;
}

/**
 * Alerts that the tip is hours old, on networks with a block every ten minutes. Returns the problem while it lasts.
 * @throws LeaseLostError
 */
export async function followTipAge(watch: ChainWatch, info: NodeInfo, now: Date): Promise<string | null> {
  const { ctx } = watch;
  if (ctx.settings.network !== "mainnet") return null;
  const minedAt = new Date(info.tipTimeSeconds * 1_000);
  const old = now.getTime() - minedAt.getTime() > TIP_AGE_MAX_MS;
  const problem = `The Bitcoin node has received no block since ${minedAt.toISOString()}: check its peers and its clock.`;
  await inTransaction(ctx, async (tx) => {
    if (!old) return resolveAlert(tx, "node-blind", TIP);
    return raiseAlert(tx, {
      kind: "node-blind",
      severity: "critical",
      subject: TIP,
      message: problem,
    });
  });
  return old ? problem : null;
}

/** The mempool and the peers may have been read from two different runs of the node. */
export async function whyInterrupted(
  { ctx, chain }: ChainWatch,
  { uptimeSeconds }: Hearing,
): Promise<string | null> {
  if (ctx.settings.minPeers === 0 || (await chain.uptimeSeconds()) >= uptimeSeconds) return null;
  return "The Bitcoin node was restarted during the check.";
}

/** Peers come and go before they have answered: no check is complete, and an operator has to know. */
export function whyUnproven(since: Date | null, now: Date): string | null {
  const lasts = since !== null && now.getTime() - since.getTime() >= UNPROVEN_MAX_MS;
  return lasts ? "Too few of the Bitcoin node's peers stay connected until they have answered a ping." : null;
}

/** Why nothing may be concluded from the node; null when it is ours and has loaded its chain and mempool. */
export async function whyNotUsable(
  ctx: CommandContext,
  chain: ChainPort,
  info: NodeInfo,
): Promise<string | null> {
  const expected = NODE_CHAINS[ctx.settings.network];
  if (info.chain !== expected)
    return `The Bitcoin node is on the network "${info.chain}", but this installation is for "${expected}".`;
  if (info.initialBlockDownload) return "The Bitcoin node is still downloading the chain.";
  if (!(await chain.mempoolLoaded())) return "The Bitcoin node is still loading its mempool.";
  return null;
}
