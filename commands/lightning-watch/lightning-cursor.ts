import { afterSettled, pastHole, type SettlePosition } from "../../domain/lightning/settle-cursor";
import { NodeUnavailableError } from "../../domain/errors";
import { Bolt11 } from "../../entities/bolt11";
import { LightningCursor } from "../../entities/lightning-cursor";
import { isItemFailure } from "../../database/item-failure";
import { pipelined } from "../../database/pipelined";
import type { CommandContext } from "../context";
import type { NodeInvoice } from "../ports";
import { recordLightningPayment } from "../invoices/record-lightning-payment";
import type { LightningWatch } from "../lightning/lightning-node";
import { inTransaction, type Tx } from "../transaction";
import { lockCursor, moveCursor } from "./queries";
import { isOurs } from "./shared-reads";

/** A subscription to a node's settled invoices. It may be lost: LND then sends the events again. */
export interface SettledReading {
  /** Null: unknown, so the cursor does not move. */
  nodeKey: string | null;
  /** The cursor as this subscription last saw it. */
  reached: bigint;
  /** Read, above it. */
  ahead: Set<bigint>;
  /** Others' invoices among them, since the cursor was written. */
  unwritten: number;
}

/** Look-ups end a hole within minutes; a node that counts wildly costs no more memory. */
const AHEAD_MAX = 20_000;
const UNWRITTEN_MAX = 1_000;

/** After the settle index that was reached, or 0. */
export async function beginReading(
  { ctx, node }: LightningWatch,
  nodeKey: string | null,
): Promise<SettledReading> {
  const cursor =
    nodeKey === null ? null : await ctx.db.manager.findOneBy(LightningCursor, { nodeId: node.id, nodeKey });
  return { nodeKey, reached: cursor?.settleIndex ?? 0n, ahead: new Set(), unwritten: 0 };
}

/**
 * A look-up found a payment below it: LND was restored and counts from the start. Only a new subscription reads what
 * lies in between.
 */
export async function wasSetBack(watch: LightningWatch, reading: SettledReading): Promise<boolean> {
  return (await beginReading(watch, reading.nodeKey)).reached < reading.reached;
}

/**
 * The payment, if it is ours, and the cursor's move in one transaction, an event at a time. Idempotent. Returns the
 * invoice paid now, or null. A payment that cannot be recorded is skipped: look-ups of open BOLT11s try again
 * (sweep-lightning). Others' invoices move the cursor now and then (writeCursor).
 * @throws LeaseLostError
 */
export async function recordSettled(
  { ctx, node }: LightningWatch,
  reading: SettledReading,
  invoice: NodeInvoice,
): Promise<string | null> {
  const { nodeKey, ahead } = reading;
  if (ahead.size >= AHEAD_MAX)
    throw new NodeUnavailableError("LND's settled invoices have too many gaps", "malformed");
  if (!(await isOurs(ctx, { nodeId: node.id, paymentHash: invoice.paymentHash }))) {
    ahead.add(invoice.settleIndex);
    reading.unwritten += 1;
    if (reading.unwritten >= UNWRITTEN_MAX) await writeCursor({ ctx, node }, reading);
    return null;
  }
  let moved: SettlePosition | null = null;
  const moveOn = async (tx: Tx): Promise<() => Promise<void>> => {
    if (nodeKey === null) return () => Promise.resolve();
    const read = new Set([...ahead, invoice.settleIndex]);
    const plan = await planMove(tx, { nodeId: node.id, nodeKey }, (position, now) =>
      afterSettled(position, read, now),
    );
    moved = plan.to;
    return plan.write;
  };
  let invoiceId: string | null = null;
  try {
    invoiceId = await recordLightningPayment(ctx, node.id, invoice, moveOn);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    ctx.log.error({ err: error, paymentHash: invoice.paymentHash }, "lightning: payment not recorded");
    await inTransaction(ctx, async (tx) => {
      const write = await moveOn(tx);
      await write();
      await tx.manager.update(
        Bolt11,
        { paymentHash: invoice.paymentHash, nodeId: node.id, state: "canceled" },
        { state: "open" },
      );
    });
  }
  ahead.add(invoice.settleIndex);
  reach(reading, moved);
  return invoiceId;
}

/** Behind others' invoices: what a crash loses of it is read again. @throws LeaseLostError */
export async function writeCursor(
  { ctx, node }: Omit<LightningWatch, "lightning">,
  reading: SettledReading,
): Promise<void> {
  const { nodeKey, unwritten } = reading;
  // A payment that is recorded meanwhile takes from `ahead` what it passes.
  const read = new Set(reading.ahead);
  reading.unwritten = 0;
  if (nodeKey === null || unwritten === 0 || read.size === 0) return;
  const moved = await move(ctx, { nodeId: node.id, nodeKey }, (position, now) =>
    afterSettled(position, read, now),
  );
  reach(reading, moved);
}

/** After complete look-ups that began at `lookedUpFrom`. @throws LeaseLostError */
export async function passHole(
  { ctx, node }: LightningWatch,
  reading: SettledReading,
  lookedUpFrom: Date,
): Promise<boolean> {
  const { nodeKey, ahead } = reading;
  if (nodeKey === null || ahead.size === 0) return false;
  const moved = await move(
    ctx,
    { nodeId: node.id, nodeKey },
    (position, now) => position && pastHole(position, ahead, lookedUpFrom, now),
  );
  reach(reading, moved);
  return moved !== null;
}

type Key = Pick<LightningCursor, "nodeId" | "nodeKey">;
type Move = (position: SettlePosition | null, now: Date) => SettlePosition | null;

async function planMove(
  tx: Tx,
  { nodeId, nodeKey }: Key,
  of: Move,
): Promise<{ to: SettlePosition | null; write: () => Promise<void> }> {
  const [[position], now] = await pipelined(lockCursor(tx.manager, nodeId, nodeKey), tx.now());
  const to = of(position ?? null, now);
  const write = async (): Promise<void> => {
    if (to !== null) await moveCursor(tx.manager, nodeId, nodeKey, to.settleIndex.toString(), to.gapSince);
  };
  return { to, write };
}

function move(ctx: CommandContext, key: Key, of: Move): Promise<SettlePosition | null> {
  return inTransaction(ctx, async (tx) => {
    const { to, write } = await planMove(tx, key, of);
    await write();
    return to;
  });
}

/** After the commit. */
function reach(reading: SettledReading, moved: SettlePosition | null): void {
  if (moved !== null && moved.settleIndex > reading.reached) reading.reached = moved.settleIndex;
  for (const index of reading.ahead) if (index <= reading.reached) reading.ahead.delete(index);
}
