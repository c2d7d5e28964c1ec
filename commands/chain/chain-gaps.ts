import { IsNull, type EntityManager } from "typeorm";
import { ChainGap } from "../../entities/chain-gap";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { closeHolesWithin, endGap, openGap } from "./queries";
import type { ChainWatch } from "./chain-watch";
import { inTransaction, type Tx } from "../transaction";

/** A complete check of the node, as far as it concerns gaps. */
export interface CompleteCheck {
  startedAt: Date;
  /** The last block that was processed. */
  height: number;
  /** The highest header known to the node or to one of its peers. */
  highestHeader: number;
}

/** The first and the last block of a range. */
export interface BlockRange {
  fromHeight: number;
  toHeight: number;
}

/** The gaps in which payments may have been missed, and which hold expiries; oldest first. */
export async function readOpenGaps(manager: EntityManager, most: number): Promise<ChainGap[]> {
  return manager.find(ChainGap, { where: { closedAt: IsNull() }, order: { beganAt: "ASC" }, take: most });
}

/** The broadcasts of that time are still in the mempool: the next complete check closes the gap, without a block. */
const NO_BLOCK = -1;

/**
 * Records that the node was restarted, or had no peers, since the last complete check. Idempotent. Before the first
 * complete check there is no gap, since nothing was watched yet.
 * @throws LeaseLostError
 */
export async function openBlindGap(watch: ChainWatch, reason: string): Promise<void> {
  await open(watch, reason, null);
}

/** Records that the node took in nothing since the last complete check, while it kept its peers. @throws LeaseLostError */
export async function openPassingGap(watch: ChainWatch, reason: string): Promise<void> {
  await open(watch, reason, NO_BLOCK);
}

async function open({ ctx }: ChainWatch, reason: string, untilHeight: number | null): Promise<void> {
  const opened = await inTransaction(ctx, async (tx) => {
    return (await openGap(tx.manager, await tx.now(), untilHeight)).rows;
  });
  for (const { beganAt } of opened)
    ctx.log.warn({ reason, since: beganAt }, "chain: payments may have been missed, expiries are held");
}

/**
 * Runs in the transaction that moves `caughtUpTo`. A gap ends at the first complete check after it, and is closed
 * by a block above all those that were known then.
 */
export async function endBlindGap({ manager }: Tx, check: CompleteCheck): Promise<void> {
  const { startedAt, height, highestHeader } = check;
  await endGap(manager, startedAt, height, highestHeader);
}

/** The subject of the alert about a hole. */
export function holeSubject({ fromHeight, toHeight }: BlockRange): string {
  return `pruned ${fromHeight}-${toHeight}`;
}

/** Describes a hole, and what to do about it. */
export function holeProblem({ fromHeight, toHeight }: BlockRange): string {
  return `Blocks ${fromHeight} to ${toHeight} were pruned by the node before they were read: payments in them are not seen, and expiries are held. Point BITCOIND_RPC_URL to a node that has them and run: cli rescan --from-height ${fromHeight}`;
}

/** Describes the first blocks that were skipped; null if there are none. */
export async function openHoleProblem(manager: EntityManager): Promise<string | null> {
  const hole = await manager.findOne(ChainGap, {
    where: { kind: "pruned", closedAt: IsNull() },
    order: { fromHeight: "ASC" },
  });
  return hole === null ? null : holeProblem(hole as BlockRange);
}

/**
 * Records skipped blocks, in the caller's transaction: they may contain payments made since the last complete
 * check.
 */
export async function openHole(tx: Tx, { fromHeight, toHeight }: BlockRange): Promise<void> {
  const now = await tx.now();
  const sync = await tx.manager.findOneBy(PaymentMethodSync, { type: "BTC-CHAIN" });
  const before = sync?.caughtUpTo ?? now;
  await tx.manager.insert(ChainGap, {
    kind: "pruned",
    fromHeight,
    toHeight,
    beganAt: before < now ? before : now,
    endedAt: now,
  });
}

/** Closes the gaps whose blocks have been read now. Returns them. */
export async function closeHoles(tx: Tx, { fromHeight, toHeight }: BlockRange): Promise<BlockRange[]> {
  return (await closeHolesWithin(tx.manager, await tx.now(), fromHeight, toHeight)).rows;
}

/** Closes the gap of an alert, on the operator's decision. */
export async function closeHole(tx: Tx, { fromHeight, toHeight }: BlockRange): Promise<void> {
  const hole = { fromHeight, toHeight, closedAt: IsNull() };
  await tx.manager.update(ChainGap, hole, { closedAt: await tx.now() });
}

/** Since when the node has been blind; null if it is not. */
export async function openBlindSince(manager: EntityManager): Promise<Date | null> {
  return (await manager.findOneBy(ChainGap, { kind: "blind", endedAt: IsNull() }))?.beganAt ?? null;
}
