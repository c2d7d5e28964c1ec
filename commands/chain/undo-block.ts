import type { EntityManager } from "typeorm";

import {
  type OnchainPayment,
  describePayments,
  isLive,
  undoBlockFor,
} from "../../domain/chain/onchain-payment";
import type { DecodedBlock } from "../../domain/chain/decode-block";
import { NodeUnavailableError } from "../../domain/errors";
import { groupBy } from "../../domain/group-by";
import { ChainBlock } from "../../entities/chain-block";
import { Payment } from "../../entities/payment";
import { SetAside } from "../../entities/set-aside";
import { decideInvoices } from "../invoices/change-invoice";
import { markDue } from "../invoices/queries";
import { isItemFailure } from "../../database/item-failure";
import { holdsHeight } from "./payment-queries";
import { BlockFailedError, CursorMovedError, decode, readCursor } from "./process-block";
import { raiseAlert } from "../server/raise-alert";
import { rememberUndone } from "./payment-transactions";
import { setAside } from "./set-aside";
import type { ChainWatch } from "./chain-watch";
import { writePayments, type LockedPaidInvoice, lockPaidInvoices } from "./write-payments";
import { noteLoss } from "../server/write-sync";
import { inSavepoint, inTransaction, type Tx } from "../transaction";

type BlockId = Pick<ChainBlock, "height" | "hash">;

/**
 * Undoes the last processed block, in one transaction: its payments are unconfirmed again, conflicts that it
 * settled are open, and what payments need of its transactions is stored. A settled invoice stays settled, with an
 * alert. A transaction whose payments cannot leave the block is set aside: a retry takes them out.
 * @throws BlockFailedError, CursorMovedError, LeaseLostError
 */
export async function undoBlock(watch: ChainWatch, block: ChainBlock): Promise<void> {
  const { ctx } = watch;
  const { height } = block;
  const stale = await readStale(watch, block);
  try {
    await undo(watch, block, stale);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    ctx.log.error({ err: error, height }, "chain: block not undone");
    throw new BlockFailedError(`Block ${height} cannot be undone; the log says why. It is retried.`);
  }
}

async function undo(watch: ChainWatch, block: ChainBlock, stale: DecodedBlock | null): Promise<void> {
  const { ctx, known } = watch;
  await inTransaction(ctx, async (tx) => {
    const { manager } = tx;
    // Locked: a rescan that has just recorded something in this block is waited for, and a later one finds
    // the block gone.
    const last = await readCursor(manager, { lock: true });
    if (last?.hash !== block.hash) throw new CursorMovedError(`block ${block.height} is not the last one`);
    const invoiceIds = await undoForEach(tx, block, known);
    if (stale !== null) await tryRememberUndone(tx, stale);
    await noteLoss(tx);
    await manager.delete(ChainBlock, { height: block.height, hash: block.hash });
    // After the reorganisation was noted, so that decisions that wait for its end wait here too.
    await decideInvoices(tx, invoiceIds);
  });
  ctx.log.warn({ height: block.height, hash: block.hash }, "chain: block undone by a reorganisation");
}

/** Undoes each invoice by itself, and sets aside what fails. Returns the others. */
async function undoForEach(tx: Tx, block: ChainBlock, known: ChainWatch["known"]): Promise<string[]> {
  const touched = await readPayments(tx.manager, block);
  // The mempool may list again what the block replaced, as it did before, even if no check was completed in between.
  known?.forget(touched.flatMap(({ txid }) => txid ?? []));
  const invoices = await lockPaidInvoices(
    tx.manager,
    touched.map((payment) => payment.invoiceId),
  );
  // Read under the lock.
  const paymentsOf = groupBy(await readPayments(tx.manager, block), ({ invoiceId }) => invoiceId);
  const undone: string[] = [];
  for (const invoice of invoices.values()) {
    const payments = paymentsOf.get(invoice.id) ?? [];
    try {
      // Nested: a savepoint.
      await inSavepoint(tx, (within) => undoForInvoice(within, block, { invoice, payments }));
      undone.push(invoice.id);
    } catch (error) {
      if (!isItemFailure(error)) throw error;
      for (const txid of new Set(payments.flatMap((payment) => payment.txid ?? [])))
        await setAside(tx, { txid, block, invoiceIds: [invoice.id] }, error);
    }
  }
  return undone;
}

async function undoForInvoice(
  tx: Tx,
  block: BlockId,
  { invoice, payments }: { invoice: LockedPaidInvoice; payments: readonly Payment[] },
): Promise<void> {
  const now = await tx.now();
  const lines = payments.map((before) => ({
    kind: "unmined",
    before,
    payment: undoBlockFor(before, block, now) satisfies OnchainPayment,
  }));
  const touched = await writePayments(tx, lines, new Map([[invoice.id, invoice]]), now);
  // An invoice whose row cannot be written fails alone.
  await markDue(tx.manager, touched, now);
  const inBlock = payments.filter((payment) => payment.blockHash === block.hash);
  if (invoice.status === "Settled") await alertSettled(tx, invoice, inBlock);
}

/**
 * For a transaction that was set aside in a block that is not in the chain: takes its payments out, if that has not been
 * done. False while the block is still ours: it is yet to be undone.
 */
export async function leaveUndoneBlock({ ctx }: ChainWatch, txid: string, block: BlockId): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const { manager } = tx;
    if (await manager.existsBy(ChainBlock, { height: block.height, hash: block.hash })) return false;
    const isOf = (payment: Payment): boolean => payment.txid === txid;
    const touched = (await readPayments(manager, block)).filter(isOf);
    const invoices = await lockPaidInvoices(
      manager,
      touched.map(({ invoiceId }) => invoiceId),
    );
    const payments = groupBy((await readPayments(manager, block)).filter(isOf), ({ invoiceId }) => invoiceId);
    for (const invoice of invoices.values())
      await undoForInvoice(tx, block, { invoice, payments: payments.get(invoice.id) ?? [] });
    await manager.update(SetAside, { txid }, { height: null, blockHash: null });
    await decideInvoices(tx, [...invoices.keys()]);
    return true;
  });
}

/** If it fails, a double spend of a lost payment is found by its effect (domain/chain/refused-payment). */
async function tryRememberUndone(tx: Tx, stale: DecodedBlock): Promise<void> {
  try {
    await inSavepoint(tx, (within) => rememberUndone(within, stale));
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    tx.log.error({ err: error, hash: stale.hash }, "chain: undone block not stored");
  }
}

async function readPayments(manager: EntityManager, block: BlockId): Promise<Payment[]> {
  const { hash, height } = block;
  return manager.findBy(Payment, [{ blockHash: hash }, { conflictHeights: holdsHeight(height) }]);
}

/**
 * Null when the node no longer has it: then lost payments are found by their effect (domain/chain/refused-payment).
 */
async function readStale(
  { ctx, chain }: ChainWatch,
  { hash, height }: ChainBlock,
): Promise<DecodedBlock | null> {
  try {
    const raw = await chain.rawBlock(hash);
    if (raw !== null) return decode(raw, hash);
  } catch (error) {
    // Bytes that are not this block would be the same at every retry.
    if (!(error instanceof NodeUnavailableError && error.fault === "malformed")) throw error;
  }
  ctx.log.warn({ height, hash }, "chain: undone block cannot be read");
  return null;
}

/** An alert for each transaction. Its subject is the id of the first payment, by which a later block ends it. */
async function alertSettled(tx: Tx, invoice: LockedPaidInvoice, payments: readonly Payment[]): Promise<void> {
  for (const some of groupBy(payments.filter(isLive), ({ txid }) => txid).values()) {
    const [payment] = some;
    if (payment === undefined) continue;
    await raiseAlert(tx, {
      kind: "reorganisation",
      severity: "warning",
      subject: payment.id,
      storeId: invoice.storeId,
      invoiceId: invoice.id,
      message: `${describePayments(some)} to a settled invoice is no longer in a block: the chain was reorganised. It is likely to be confirmed again.`,
    });
  }
}
