import { type NodeFault, NodeUnavailableError } from "../domain/errors";
import { KnownTxids } from "../domain/chain/known-txids";
import type { Network } from "../domain/network";
import type { ChainBlock } from "../entities/chain-block";
import { checkMempool } from "./check-mempool";
import { checkPending } from "./check-pending";
import { followChain } from "./follow-chain";
import type { ChainPort, NodeInfo } from "./ports";
import type { CommandContext } from "./context";
import { restartVanishTimers } from "./restart-vanish-timers";
import type { ChainWatch } from "./watch";
import { alertNode, endNodeAlerts, openPruneProblem, writeRail } from "./write-rail";

/** What a leader remembers from check to check. All of it may be lost. */
export interface ChainView {
  known: KnownTxids;
  /** The node is on our network, synced and with its mempool loaded: what it says may be recorded. */
  usable: boolean;
  /** The tip at which unconfirmed payments were last told to the network; null makes the next check do it. */
  rebroadcastAt: string | null;
  /** When the node was last offered again what it had refused. */
  retriedAt: Date | null;
  /** Since when there has been no complete check; null after one. */
  troubledSince: Date | null;
  troubleAlerted: boolean;
}

export function newChainView(): ChainView {
  return {
    known: new KnownTxids(),
    usable: false,
    rebroadcastAt: null,
    retriedAt: null,
    troubledSince: null,
    troubleAlerted: true, // an alert of the leader before us may be open
  };
}

export interface CheckHooks {
  signal: AbortSignal;
  onBlock(block: ChainBlock): Promise<void>;
  /** When a walk along the chain has ended, or failed; much may come after it. */
  onWalked(): Promise<void>;
  /** Between pieces of a long check. */
  onChunk(): Promise<void>;
  /** So many transactions of the mempool could not be read. */
  onMalformed(transactions: number): void;
}

export type CheckOutcome =
  { caughtUp: true } | { caughtUp: false; fault: NodeFault | "behind"; problem: string };

const NODE_CHAINS: Record<Network, string> = {
  mainnet: "main",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "regtest",
};
const RAIL = "BTC-CHAIN";
const RETRY_MISSING_MS = 30_000;
/** A restart of the node is nothing to wake somebody for. */
const ALERT_AFTER_MS = 60_000;
/** Looks at one check; a chain that moves on every time is not caught up with. */
const ROUNDS_MAX = 10;

/**
 * One complete check of tip and mempool. The rail's `caughtUpTo` becomes the instant at which it began, when it ends
 * with nothing left unseen: every payment that was in the node's mempool or chain at that instant is recorded.
 * Never rejects for what the node does or does not.
 * @throws LeaseLostError
 */
export async function checkChain(
  watch: ChainWatch,
  view: ChainView,
  hooks: CheckHooks,
): Promise<CheckOutcome> {
  const { ctx } = watch;
  const startedAt = await ctx.now(ctx.db.manager);
  try {
    const info = await watch.chain.info();
    const unusable = await whyNotUsable(ctx, watch.chain, info);
    if (unusable === null && !view.usable) await restartVanishTimers(watch, startedAt);
    view.usable = unusable === null;
    const problem = unusable ?? (await look(watch, view, hooks, startedAt));
    if (problem !== null) return await report(watch, view, { startedAt, info, fault: "behind", problem });
    await reportCaughtUp(watch, view, info, startedAt);
    return { caughtUp: true };
  } catch (error) {
    if (!(error instanceof NodeUnavailableError)) throw error;
    // It may have been restarted, and have lost what it had in its mempool.
    view.usable = false;
    view.rebroadcastAt = null;
    const problem = `The Bitcoin node cannot be used: ${error.message}.`;
    return report(watch, view, { startedAt, info: null, fault: error.fault, problem });
  }
}

async function reportCaughtUp(
  watch: ChainWatch,
  view: ChainView,
  info: NodeInfo,
  startedAt: Date,
): Promise<void> {
  const problem = await openPruneProblem(watch);
  await writeRail(watch, {
    type: RAIL,
    synchronized: true,
    nodeHeight: info.blocks,
    problem,
    caughtUpTo: startedAt,
  });
  if (view.troubleAlerted) await endNodeAlerts(watch, RAIL);
  view.troubleAlerted = false;
  view.troubledSince = null;
}

/** Why nothing may be concluded from the node; null when it is ours and knows its chain and mempool. */
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

/**
 * Mempool first, then the chain: what is mined in between is found in its block. When the tip moved meanwhile, look
 * again: a block that came and was reorganised away may have hidden a transaction from both looks.
 */
async function look(
  watch: ChainWatch,
  view: ChainView,
  hooks: CheckHooks,
  startedAt: Date,
): Promise<string | null> {
  const { ctx, chain } = watch;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = await chain.info();
    const mempool = await checkMempool(watch, view.known, hooks.signal, hooks.onChunk);
    hooks.onMalformed(mempool.malformed);
    if (mempool.malformed > 0)
      ctx.log.warn({ malformed: mempool.malformed }, "malformed transactions skipped");
    const cursor = await followChain(watch, hooks.signal, hooks.onBlock).finally(() => hooks.onWalked());
    if (mempool.contradicted || cursor.hash !== before.bestBlockHash) continue;
    if (before.headers > before.blocks)
      return `The Bitcoin node is ${before.headers - before.blocks} blocks behind.`;
    const lookAgain = await checkPending(watch, {
      txids: mempool.txids,
      rebroadcastAll: view.rebroadcastAt !== cursor.hash,
      retryMissing:
        view.retriedAt === null || startedAt.getTime() - view.retriedAt.getTime() >= RETRY_MISSING_MS,
    });
    view.known.forget(lookAgain);
    if (view.rebroadcastAt !== cursor.hash) view.retriedAt = startedAt;
    view.rebroadcastAt = cursor.hash;
    return null;
  }
  return "The chain moves faster than it can be read.";
}

/** Tells the rail, and after a minute the operator. */
async function report(
  watch: ChainWatch,
  view: ChainView,
  trouble: {
    startedAt: Date;
    info: NodeInfo | null;
    fault: NodeFault | "behind";
    problem: string;
  },
): Promise<CheckOutcome> {
  const { startedAt, info, fault, problem } = trouble;
  view.troubledSince ??= startedAt;
  await writeRail(watch, {
    type: RAIL,
    synchronized: false,
    nodeHeight: info?.blocks ?? null,
    problem,
    caughtUpTo: null,
  });
  if (startedAt.getTime() - view.troubledSince.getTime() >= ALERT_AFTER_MS) {
    await alertNode(watch, RAIL, fault === "behind" ? "node-behind" : "node-away", problem);
    view.troubleAlerted = true;
  }
  return { caughtUp: false, fault, problem };
}
