import { type NodeFault, NodeUnavailableError } from "../../domain/errors";
import { KnownTxids } from "../../domain/chain/known-txids";
import { PeerEcho } from "../../domain/chain/peer-echo";
import type { ChainBlock } from "../../entities/chain-block";
import { checkMempool } from "./check-mempool";
import { checkPending, recordReplacements, restartVanishTimers } from "./check-pending";
import { type Detection, detectOnchainPayments } from "./detect-onchain-payments";
import { endBlindGap, openHoleProblem, openPassingGap, type CompleteCheck } from "./chain-gaps";
import { followChain } from "./follow-chain";
import {
  checkConnectivity,
  followTipAge,
  whyInterrupted,
  whyNotUsable,
  whyUnproven,
} from "./node-connectivity";
import { OtherChainError, refuseOtherChain } from "./other-chain";
import type { NodeInfo } from "../ports";
import { BlockFailedError, readCursor } from "./process-block";
import { retrySetAside } from "./retry-set-aside";
import type { ChainWatch } from "./chain-watch";
import { endTrouble, newTroubleView, recordTrouble, type TroubleView } from "../server/trouble";
import { writeSync } from "../server/write-sync";

/** A leader's memory between checks. All of it may be lost. */
export interface ChainView {
  known: KnownTxids;
  echo: PeerEcho;
  unprovenSince: Date | null;
  slow: boolean; // the node answered the last check late; where it always does, that shows nothing
  /**
   * Whether published transactions are recorded: a check has recorded what mempool and blocks replaced since the
   * last miss.
   */
  usable: boolean;
  misses: number;
  /** The tip at which unconfirmed payments were last broadcast; with null the next check broadcasts them. */
  rebroadcastAt: string | null;
  /** When refused transactions were last submitted to the node again. */
  retriedAt: Date | null;
  /** Since when there has been no complete check. */
  trouble: TroubleView;
}

const TROUBLED = {
  kinds: ["node-away", "node-behind", "node-blind", "other-chain"],
  subject: "BTC-CHAIN",
  storeId: null,
} as const;

/** `echoAfterMs`: when a ping that was answered proves something. */
export function newChainView(echoAfterMs?: number): ChainView {
  return {
    known: new KnownTxids(),
    echo: new PeerEcho(echoAfterMs),
    unprovenSince: null,
    slow: false,
    usable: false,
    misses: 0,
    rebroadcastAt: null,
    retriedAt: null,
    trouble: newTroubleView(TROUBLED),
  };
}

/** Something was missed, and may have replaced a payment: what the node publishes waits until a check has recorded that. */
export function noteMissed(view: ChainView): void {
  view.usable = false;
  view.misses += 1;
}

export interface CheckHooks {
  signal: AbortSignal;
  onBlock(block: ChainBlock): Promise<void>;
  /** Called when a walk along the chain has ended or failed, since much may follow it. */
  onWalked(): Promise<void>;
  /** Called between the chunks of a long check: what the node has published meanwhile is recorded then. */
  onChunk(): Promise<void>;
  /** Called with the number of mempool transactions that could not be decoded. */
  onMalformed(transactions: number): void;
}

type Fault = NodeFault | "behind" | "blind" | "other-chain";

/** "unproven": all is read, but whether the node hears the network is still to be seen. */
export type CheckOutcome =
  { caughtUp: true } | { caughtUp: false; fault: Fault | "unproven"; problem: string };

/** The outcome of a check of tip and mempool: the position, or why it is incomplete. */
type Look = { problem: string } | { problem: null; height: number; highestHeader: number };

const ALERT_KINDS: Partial<Record<Fault, (typeof TROUBLED.kinds)[number]>> = {
  behind: "node-behind",
  blind: "node-blind",
  "other-chain": "other-chain",
};
const RETRY_MISSING_MS = 30_000;
/** A node that takes longer to answer a first question has stood still. */
const STOOD_STILL_MS = 10_000;
/** Attempts per check; a chain that moves during each of them is not caught up with. */
const ROUNDS_MAX = 10;

/** Before anything is recorded: a node that stood still answers before it has read what its peers sent meanwhile. */
async function noteStandstill(watch: ChainWatch, view: ChainView, startedAt: Date): Promise<void> {
  const { ctx } = watch;
  if (ctx.settings.minPeers === 0) return;
  const slow = (await ctx.now(ctx.db.manager)).getTime() - startedAt.getTime() > STOOD_STILL_MS;
  if (slow && !view.slow) {
    view.echo.interrupt();
    await openPassingGap(watch, "the node did not answer for a while");
  }
  view.slow = slow;
}

/**
 * A complete check of tip and mempool. If nothing is left unread at its end, the row's `caughtUpTo` becomes the
 * instant up to which the node has heard the network: every payment that was broadcast by then is recorded. Never
 * rejects because of the node.
 * @throws LeaseLostError
 */
export async function checkChain(
  given: ChainWatch,
  view: ChainView,
  hooks: CheckHooks,
): Promise<CheckOutcome> {
  const watch = { ...given, known: view.known };
  const { ctx } = watch;
  const startedAt = await ctx.now(ctx.db.manager);
  try {
    const info = await watch.chain.info().finally(() => noteStandstill(watch, view, startedAt));
    const unusable = await whyNotUsable(ctx, watch.chain, info);
    if (unusable !== null) {
      noteMissed(view);
      return await report(watch, view, { startedAt, info, fault: "behind", problem: unusable });
    }
    if (!view.usable) await restartVanishTimers(watch, startedAt);
    const cursor = await readCursor(ctx.db.manager);
    if (cursor !== null) await refuseOtherChain(watch, cursor); // before anything in its mempool is recorded
    const { misses } = view; // what is missed from now on is left to the next check
    view.known.forget(await recordReplacements(watch));
    await retrySetAside(watch, hooks.onChunk);
    const hearing = await checkConnectivity(watch, view.echo, info, startedAt);
    const looked = await look(watch, view, hooks, { startedAt, misses });
    if (looked.problem !== null)
      return await report(watch, view, { startedAt, info, fault: "behind", problem: looked.problem });
    view.unprovenSince = hearing.heardUpTo === null ? (view.unprovenSince ?? startedAt) : null;
    const blind =
      hearing.deaf ?? whyUnproven(view.unprovenSince, startedAt) ?? (await whyInterrupted(watch, hearing));
    if (blind !== null) return await report(watch, view, { startedAt, info, fault: "blind", problem: blind });
    const highestHeader = Math.max(looked.highestHeader, hearing.highestHeader);
    const check = { height: looked.height, highestHeader };
    return await reportRead(watch, view, info, { ...check, startedAt: hearing.heardUpTo });
  } catch (error) {
    if (error instanceof BlockFailedError)
      return report(watch, view, { startedAt, info: null, fault: "behind", problem: error.message });
    noteMissed(view);
    view.echo.interrupt();
    const otherChain = error instanceof OtherChainError;
    if (!otherChain && !(error instanceof NodeUnavailableError)) throw error;
    // The node may have been restarted and have lost its mempool.
    view.rebroadcastAt = null;
    const trouble = otherChain
      ? { fault: "other-chain" as const, problem: error.message }
      : { fault: error.fault, problem: `The Bitcoin node is unusable: ${error.message}.` };
    return report(watch, view, { startedAt, info: null, ...trouble });
  }
}

/**
 * Records transactions that the node has just published; null if they are left to the next check. They are, after
 * something was missed: it may have replaced a payment, which must not count beside these.
 * @throws LeaseLostError
 */
export async function hearTransactions(
  watch: ChainWatch,
  view: ChainView,
  raws: readonly Buffer[],
): Promise<Detection | null> {
  if (!view.usable) return null;
  try {
    const detected = await detectOnchainPayments({ ...watch, known: view.known }, raws);
    view.known.note(detected.txids);
    view.known.forget(detected.lookAgain);
    return detected;
  } catch (error) {
    noteMissed(view);
    if (error instanceof NodeUnavailableError) return null;
    throw error;
  }
}

/** All is read; `startedAt`: up to when the node has heard the network, too. */
async function reportRead(
  watch: ChainWatch,
  view: ChainView,
  info: NodeInfo,
  { startedAt, ...check }: Omit<CompleteCheck, "startedAt"> & { startedAt: Date | null },
): Promise<CheckOutcome> {
  const { ctx } = watch;
  const stale = await followTipAge(watch, info, startedAt ?? (await ctx.now(ctx.db.manager)));
  const problem = (await openHoleProblem(ctx.db.manager)) ?? stale;
  const sync = {
    synchronized: true,
    nodeHeight: info.blocks,
    problem,
    caughtUpTo: startedAt,
  } as const;
  await writeSync(watch.ctx, sync, async (tx) => {
    if (startedAt !== null) await endBlindGap(tx, { ...check, startedAt });
  });
  if (startedAt === null) return { caughtUp: false, fault: "unproven", problem: "" };
  await endTrouble(watch.ctx, view.trouble);
  return { caughtUp: true };
}

/**
 * Chain, mempool, chain: what is mined in between is found in its block. A tip that moved may hide a transaction
 * that came in a block and was reorganised away.
 */
async function look(
  watch: ChainWatch,
  view: ChainView,
  hooks: CheckHooks,
  { startedAt, misses }: { startedAt: Date; misses: number },
): Promise<Look> {
  const { ctx, chain } = watch;
  const walk = (): Promise<ChainBlock> =>
    followChain(watch, hooks.signal, hooks.onBlock).finally(() => hooks.onWalked());
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const walked = await walk().catch(ignoreBlock);
    if (walked !== null) view.usable ||= view.misses === misses;
    const before = await chain.info();
    const mempool = await checkMempool(watch, view.known, hooks.signal, hooks.onChunk);
    hooks.onMalformed(mempool.malformed);
    if (mempool.malformed > 0)
      ctx.log.warn({ malformed: mempool.malformed }, "chain: malformed transactions skipped");
    const cursor = await walk();
    if (mempool.contradicted || cursor.hash !== before.bestBlockHash) continue;
    if (before.headers > before.blocks)
      return { problem: `The Bitcoin node is ${before.headers - before.blocks} blocks behind.` };
    const rebroadcastAll = view.rebroadcastAt !== cursor.hash;
    const retryMissing =
      view.retriedAt === null || Math.abs(startedAt.getTime() - view.retriedAt.getTime()) >= RETRY_MISSING_MS;
    const { txids } = mempool;
    const lookAgain = await checkPending(watch, {
      txids,
      height: cursor.height,
      rebroadcastAll,
      retryMissing,
      onChunk: hooks.onChunk,
    });
    view.known.forget(lookAgain);
    if (rebroadcastAll || retryMissing) view.retriedAt = startedAt;
    view.rebroadcastAt = cursor.hash;
    return { problem: null, height: cursor.height, highestHeader: before.headers };
  }
  return { problem: "The chain changed repeatedly during the check." };
}

/** A block that cannot be read or processed does not keep the mempool from being read: the walk after that reports it. */
function ignoreBlock(error: unknown): null {
  if (!(error instanceof BlockFailedError || error instanceof NodeUnavailableError)) throw error;
  return null;
}

/** Records the outcome, and after a minute of trouble alerts the operator. */
async function report(
  watch: ChainWatch,
  view: ChainView,
  trouble: {
    startedAt: Date;
    info: NodeInfo | null;
    fault: Fault;
    problem: string;
  },
): Promise<CheckOutcome> {
  const { startedAt, info, fault, problem } = trouble;
  const nodeHeight = info?.blocks ?? null;
  await recordTrouble(watch.ctx, view.trouble, {
    kind: ALERT_KINDS[fault] ?? "node-away",
    problem,
    report: () => writeSync(watch.ctx, { synchronized: false, nodeHeight, problem, caughtUpTo: null }),
    now: startedAt,
    atOnce: fault === "other-chain",
  });
  return { caughtUp: false, fault, problem };
}
