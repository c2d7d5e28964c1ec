import { IsNull } from "typeorm";
import { isLive } from "../domain/chain/apply-transaction";
import { parseOutpoint } from "../domain/chain/decode-tx";
import { Payment } from "../entities/payment";
import { PaymentInput } from "../entities/payment-input";
import { detectOnchainPayments } from "./detect-onchain-payments";
import { assertLease } from "./lease";
import { raiseAlert } from "./raise-alert";
import { lockPaidInvoices } from "./record-transactions";
import type { ChainWatch } from "./watch";
import { writePayments } from "./write-payments";

/** The node must have refused a transaction for so long before it counts as evicted. */
export const EVICTED_AFTER_MS = 10 * 60_000;

export interface PendingCheck {
  /** The mempool as it was listed. */
  txids: readonly string[];
  /** A new block, or a node that was away: tell the network of all that is unconfirmed. */
  rebroadcastAll: boolean;
  /** Offer again what the node refused before. */
  retryMissing: boolean;
}

/** One transaction of ours that is in no block. */
interface Unmined {
  txid: string;
  rawTx: Buffer | null;
  missing: boolean;
  contested: boolean;
}

/**
 * What became of payments that are in no block: still in the mempool, replaced, or gone. To be called only when the
 * chain was walked to the tip of a node that is synced with its mempool loaded, so that a payment which is nowhere
 * has really vanished. Answers the transactions that are news when they are met again.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function checkPending(watch: ChainWatch, check: PendingCheck): Promise<string[]> {
  const { chain } = watch;
  const lookAgain: string[] = [];
  const unmined = await readUnmined(watch);
  const ours = new Set(unmined.map(({ txid }) => txid));
  const listed = new Set(check.txids.filter((txid) => ours.has(txid)));
  for (const payment of unmined) {
    // The list may be older than the payment.
    const present = listed.has(payment.txid) || (await chain.mempoolEntry(payment.txid)) !== null;
    lookAgain.push(...(await (present ? keepAlive : lookForAbsent)(watch, payment, check)));
  }
  return lookAgain;
}

async function readUnmined({ ctx }: ChainWatch): Promise<Unmined[]> {
  return ctx.db.query<Unmined[]>(
    `SELECT DISTINCT ON (txid) txid, raw_tx AS "rawTx", missing_since IS NOT NULL AS missing,
            conflict_txid IS NOT NULL AS contested
     FROM payments
     WHERE type = 'BTC-CHAIN' AND block_height IS NULL AND state IN ('pending', 'confirmed')
     ORDER BY txid, vout`,
  );
}

async function keepAlive(
  watch: ChainWatch,
  { rawTx, missing, contested }: Unmined,
  { rebroadcastAll }: PendingCheck,
): Promise<string[]> {
  if (rawTx === null) return [];
  const lookAgain = missing || contested ? (await detectOnchainPayments(watch, [rawTx])).lookAgain : [];
  if (rebroadcastAll) await watch.chain.broadcast(rawTx);
  return lookAgain;
}

async function lookForAbsent(watch: ChainWatch, payment: Unmined, check: PendingCheck): Promise<string[]> {
  const { ctx, chain } = watch;
  const { txid, rawTx, missing } = payment;
  const spenders = await findSpenders(watch, txid);
  if (spenders.length > 0) {
    // The rule about conflicts decides; after the invoice's expiry it wants to be asked until time has passed.
    const raws = await chain.mempoolTransactions(spenders);
    return (await detectOnchainPayments(watch, [...raws.values()])).lookAgain;
  }
  if (missing && !check.retryMissing && !check.rebroadcastAll) return [];
  if (rawTx === null) return markMissing(watch, txid, "its bytes are not kept any more");
  const answer = await chain.broadcast(rawTx);
  if (answer.accepted) {
    ctx.log.info({ txid }, "payment was gone from the mempool: broadcast again");
    return (await detectOnchainPayments(watch, [rawTx])).lookAgain;
  }
  if (!answer.inChain) return markMissing(watch, txid, answer.reason);
  ctx.log.warn({ txid }, "payment is in a block that was not read");
  return [];
}

async function findSpenders({ ctx, chain }: ChainWatch, txid: string): Promise<string[]> {
  const inputs = await ctx.db.manager.findBy(PaymentInput, { txid });
  const spenders = await chain.mempoolSpenders(inputs.map((input) => parseOutpoint(input.outpoint)));
  return [...new Set(spenders.values())].filter((spender) => spender !== txid);
}

/** Notes that the node refuses a payment that it does not have; after ten minutes of that it is evicted. */
async function markMissing({ ctx, lease }: ChainWatch, txid: string, reason: string): Promise<[]> {
  const invoiceIds = await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    const found = await manager.findBy(Payment, { txid });
    const invoices = await lockPaidInvoices(
      manager,
      found.map((payment) => payment.invoiceId),
    );
    const rows = await manager.findBy(Payment, { txid, blockHeight: IsNull() });
    const now = await ctx.now(manager);
    const lines = rows.filter(isLive).map((before) => {
      const missingSince = before.missingSince ?? now;
      const evicted = now.getTime() - missingSince.getTime() >= EVICTED_AFTER_MS;
      const state = evicted ? ("evicted" as const) : before.state;
      return { kind: evicted ? "evicted" : "missing", before, payment: { ...before, missingSince, state } };
    });
    for (const { kind, payment } of lines) {
      const { id, invoiceId, amountSats } = payment;
      ctx.log.warn({ paymentId: id, invoiceId, reason }, `payment is ${kind}`);
      const invoice = invoices.find((locked) => locked.id === invoiceId);
      if (kind !== "evicted" || invoice?.status !== "Settled") continue;
      await raiseAlert(manager, ctx, {
        kind: "double-spend",
        severity: "critical",
        subject: `${id} evicted`,
        storeId: invoice.storeId,
        invoiceId,
        message: `Payment ${id} of ${amountSats} sats to a settled invoice is in no block, and the network no longer accepts it.`,
      });
    }
    return writePayments(manager, lines, now);
  });
  await ctx.enqueue(
    "invoices",
    invoiceIds.map((invoiceId) => ({ invoiceId })),
  );
  return [];
}
