import { IsNull } from "typeorm";

import type { NodeRefusal } from "../../domain/chain/node-refusal";
import { type OnchainPayment, describePayments, isLive, isLost } from "../../domain/chain/onchain-payment";
import { parseOutpoint } from "../../domain/chain/decode-tx";
import { refusePayment } from "../../domain/chain/refused-payment";
import { groupBy } from "../../domain/group-by";
import { ChainGap } from "../../entities/chain-gap";
import { Payment } from "../../entities/payment";
import { decideInvoices } from "../invoices/change-invoice";
import { alertDoubleSpend } from "./alert-payments";
import { detectOnchainPayments } from "./detect-onchain-payments";
import { isItemFailure } from "../../database/item-failure";
import {
  readInputsOf,
  readLost,
  readUnmined,
  readUnminedCoins,
  restartLiveTimers,
  restartLostTimers,
  type UnminedTransaction,
} from "./payment-queries";
import { offerPayment, readRawTransaction } from "./payment-transactions";
import { raiseAlert } from "../server/raise-alert";
import { readSetAside, setAside } from "./set-aside";
import type { ChainWatch } from "./chain-watch";
import { type PaymentLine, writePayments, type LockedPaidInvoice, lockPaidInvoices } from "./write-payments";
import { inTransaction, type Tx } from "../transaction";

export interface PendingCheck {
  /** The mempool as listed by the node. */
  txids: readonly string[];
  /**
   * After a new block, which alone brings a lost payment back, or when the node was away: broadcast everything
   * unconfirmed, and lost payments.
   */
  rebroadcastAll: boolean;
  /** Submit again what the node refused before. */
  retryMissing: boolean;
  /** The height of the last processed block. */
  height: number;
  /** Called between payments. */
  onChunk(): Promise<void>;
}

/** Their inputs, some thousands each, are in memory at once. */
const PAYMENTS_AT_ONCE = 50;
/** Raw transactions in memory at once. */
const RAWS_AT_ONCE = 500;

/**
 * Checks payments that are in no block: still in the mempool, replaced, or gone. Call it only after following the
 * chain to the tip of a synced node with its mempool loaded, so that a missing payment has really vanished. Returns
 * the transactions to be read again when they reappear.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function checkPending(watch: ChainWatch, check: PendingCheck): Promise<string[]> {
  const { ctx, chain } = watch;
  const { manager } = ctx.db;
  const lookAgain: string[] = [];
  const { rows: unmined } = await readUnmined(manager);
  if (check.rebroadcastAll) unmined.push(...(await readLost(manager, await ctx.now(manager))).rows);
  const ours = new Set(unmined.map(({ txid }) => txid));
  const listed = new Set(check.txids.filter((txid) => ours.has(txid)));
  const skipped = await readSetAside(manager, [...ours]);
  for (const payment of unmined) {
    const { txid } = payment;
    if (skipped.has(txid)) continue;
    await check.onChunk();
    try {
      // The list may be older than the payment.
      const present = listed.has(txid) || (await chain.mempoolEntry(txid)) !== null;
      lookAgain.push(...(await (present ? keepAlive : checkAbsent)(watch, payment, check)));
    } catch (error) {
      if (!isItemFailure(error)) throw error;
      await inTransaction(ctx, (tx) => setAside(tx, { txid }, error));
    }
  }
  return lookAgain;
}

/**
 * Records what in the mempool has replaced payments of ours, before anything new is recorded: what a customer took back
 * must not count beside what he paid instead. It asks for one coin of each payment, and for all of those that are
 * absent. Returns the transactions to be read again when they reappear.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function recordReplacements(watch: ChainWatch): Promise<string[]> {
  const { rows } = await readUnminedCoins(watch.ctx.db.manager);
  const coins = rows.map(({ txid, outpoint }) => ({ txid, coin: parseOutpoint(outpoint) }));
  const spenders = await watch.chain.mempoolSpenders(coins.map(({ coin }) => coin));
  const absent = coins.filter(({ txid, coin }) => spenders.get(`${coin.txid}:${coin.vout}`) !== txid);
  const replacing = await findSpenders(
    watch,
    absent.map(({ txid }) => txid),
  );
  return recordFromMempool(watch, [...replacing]);
}

async function keepAlive(
  watch: ChainWatch,
  { txid, missing, contested }: UnminedTransaction,
  { rebroadcastAll }: PendingCheck,
): Promise<string[]> {
  if (!missing && !contested && !rebroadcastAll) return [];
  const rawTx = await readRawTransaction(watch.ctx.db.manager, txid);
  if (rawTx === null) return [];
  const lookAgain = missing || contested ? (await detectOnchainPayments(watch, [rawTx])).lookAgain : [];
  if (rebroadcastAll) await watch.chain.broadcast(rawTx);
  return lookAgain;
}

async function checkAbsent(
  watch: ChainWatch,
  payment: UnminedTransaction,
  check: PendingCheck,
): Promise<string[]> {
  const { ctx } = watch;
  const { txid, missing } = payment;
  const spenders = await findSpenders(watch, [txid]);
  if (spenders.size > 0) {
    // The rule about conflicts decides. After the invoice's expiry it has to be applied again until enough
    // time has passed.
    return recordFromMempool(watch, [...spenders]);
  }
  if (missing && !check.retryMissing && !check.rebroadcastAll) return [];
  const rawTx = await readRawTransaction(ctx.db.manager, txid);
  if (rawTx === null)
    return markMissing(watch, txid, check.height, {
      reason: "its bytes are no longer stored",
      meaning: "policy",
    });
  const answer = await offerPayment(watch, txid, rawTx);
  if (answer.outcome === "refused") return markMissing(watch, txid, check.height, answer);
  if (answer.outcome === "accepted") {
    ctx.log.info({ txid }, "payment: evicted from the mempool, broadcast again");
    return (await detectOnchainPayments(watch, [rawTx])).lookAgain;
  }
  ctx.log.warn({ txid }, "payment: in a block that was not processed");
  return [];
}

/** Compares two versions of one payment's row, before and after a refusal. */
function differs(before: OnchainPayment, after: OnchainPayment): boolean {
  return (
    before.state !== after.state ||
    before.missingSince !== after.missingSince ||
    before.inputsMissingHeight !== after.inputsMissingHeight
  );
}

async function recordFromMempool(watch: ChainWatch, txids: readonly string[]): Promise<string[]> {
  const lookAgain: string[] = [];
  for (let from = 0; from < txids.length; from += RAWS_AT_ONCE) {
    const raws = await watch.chain.mempoolTransactions(txids.slice(from, from + RAWS_AT_ONCE));
    lookAgain.push(...(await detectOnchainPayments(watch, [...raws.values()])).lookAgain);
  }
  return lookAgain;
}

/** The transactions of the mempool that spend otherwise what these spend, or what their ancestors spend. */
async function findSpenders({ ctx, chain }: ChainWatch, txids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (let from = 0; from < txids.length; from += PAYMENTS_AT_ONCE) {
    const inputs = await readInputsOf(ctx.db.manager, txids.slice(from, from + PAYMENTS_AT_ONCE));
    const spends = inputs.map(({ outpoint, ...by }) => ({ spent: parseOutpoint(outpoint), by }));
    const spenders = await chain.mempoolSpenders(spends.map(({ spent }) => spent));
    for (const { spent, by } of spends) {
      const spender = spenders.get(`${spent.txid}:${spent.vout}`);
      if (spender !== undefined && spender !== by.txid && spender !== by.ancestorTxid) found.add(spender);
    }
  }
  return found;
}

/** Records that the node refuses a payment that it does not have, and decides the payment's invoices. */
async function markMissing(
  { ctx }: ChainWatch,
  txid: string,
  height: number,
  { reason, meaning }: NodeRefusal,
): Promise<[]> {
  await inTransaction(ctx, async (tx) => {
    const { manager } = tx;
    const found = await manager.findBy(Payment, { txid });
    const invoices = await lockPaidInvoices(
      manager,
      found.map((payment) => payment.invoiceId),
    );
    const rows = await manager.findBy(Payment, { txid, blockHeight: IsNull() });
    const now = await tx.now();
    const inGap = await manager.existsBy(ChainGap, { closedAt: IsNull() });
    const lines = rows
      .filter((before) => isLive(before) || isLost(before))
      .map((before) => {
        const monitoringEnded = hasMonitoringEnded(invoices.get(before.invoiceId), now);
        return { before, ...refusePayment(before, { now, height, meaning, inGap, monitoringEnded }) };
      })
      .filter(({ before, payment }) => differs(before, payment));
    for (const some of groupBy(lines, ({ kind, payment }) => `${kind} ${payment.invoiceId}`).values())
      await reportMissing(tx, { some, invoices, reason });
    await decideInvoices(tx, await writePayments(tx, lines, invoices, now));
  });
  return [];
}

function hasMonitoringEnded(invoice: LockedPaidInvoice | undefined, now: Date): boolean {
  if (invoice?.status !== "Expired" && invoice?.status !== "Invalid") return false;
  return now > invoice.monitoringUntil;
}

/** For payments of one invoice with the same outcome. */
async function reportMissing(
  tx: Tx,
  {
    some,
    invoices,
    reason,
  }: { some: readonly PaymentLine[]; invoices: ReadonlyMap<string, LockedPaidInvoice>; reason: string },
): Promise<void> {
  const [first] = some;
  if (first === undefined) return;
  const { kind, payment, before } = first;
  const { id, invoiceId } = payment;
  if (kind !== "unwanted" || before?.missingSince === null)
    tx.log.warn({ paymentId: id, payments: some.length, invoiceId, reason }, `payment: ${kind}`);
  const invoice = invoices.get(invoiceId);
  const payments = some.map((line) => line.payment);
  if (kind === "unwanted" && invoice !== undefined)
    return raiseAlert(tx, {
      kind: "payment-refused",
      severity: "warning",
      subject: id,
      storeId: invoice.storeId,
      invoiceId,
      message: `${describePayments(payments)} is in no block, and your Bitcoin node refuses it ("${reason}"). Other nodes may have it, so it stays pending.`,
    });
  if ((kind === "evicted" || kind === "given-up") && invoice?.status === "Settled")
    await alertDoubleSpend(tx, { where: kind, payments, invoice });
}

/**
 * A payment vanishes after ten minutes of refusal, or of a conflicting transaction in the mempool, but only minutes
 * in which the node was polled count. So after a gap the clocks of live payments restart, and so do the counted
 * blocks of lost ones.
 * @throws LeaseLostError
 */
export async function restartVanishTimers({ ctx }: ChainWatch, checkedAt: Date): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await restartLiveTimers(tx.manager, checkedAt);
    await restartLostTimers(tx.manager, checkedAt);
  });
}
