import { requiredForPayment } from "../invoice/confirmations-required";
import { notAhead } from "../invoice/expiry-hold";
import type { DecodedTx } from "./decode-tx";
import { isDust } from "./dust";
import {
  type Evidence,
  type FoundTransaction,
  isLive,
  isOlderThan,
  isRecordedAsOlder,
  liveState,
  type OnchainPayment,
  type PaidInvoice,
} from "./onchain-payment";

/** seen: new. mined: now in a block. returned: had vanished and is back. contested: another transaction spends its input. */
export type PaymentChangeKind = "seen" | "mined" | "returned" | "contested" | "replaced";

export interface PaymentChange {
  kind: PaymentChangeKind;
  payment: OnchainPayment;
  /** Money that counted was or may be spent elsewhere, in whole or in part. */
  doubleSpend: boolean;
}

/** After an invoice's expiry an unconfirmed conflict counts when it has lasted this long. */
export const CONFLICT_BELIEVED_AFTER_MS = 10 * 60_000;

/**
 * Changes, by a transaction in the mempool or in a block, of the payment rows: those that it creates or finds again,
 * and those that it conflicts with. Applying the same evidence twice changes nothing. Null when the mempool
 * contradicts the processed blocks (a reorganisation is in progress): walk along the chain, then check again.
 */
export function applyTransaction(
  found: FoundTransaction,
  existing: ReadonlyMap<string, OnchainPayment>,
  evidence: Evidence,
): PaymentChange[] | null {
  const inherited = firstSeenOf(found.conflicting);
  const own = found.outputs.map((paid) => {
    const before = existing.get(`${found.tx.txid}:${paid.output.vout}`);
    const older = isOlderThan(paid.invoice, evidence) || replacesOlder(paid.invoice, inherited);
    return { ...paid, before, older, neverCounts: before?.neverCounts ?? (older || isDust(paid.output)) };
  });
  if (evidence.where === "mempool") {
    const mined = found.conflicting.some(({ payment }) => payment.blockHeight !== null);
    const minedOrBeaten = own.some(
      ({ before }) => before && (before.blockHeight !== null || before.conflictHeights.length > 0),
    );
    if (mined || minedOrBeaten) return null;
  }
  const sums = sumUp(own, found.conflicting);
  const lost = found.conflicting.map((conflict) => contest(conflict, found.tx, sums, evidence));
  const won = own.map(({ before, ...paid }) =>
    before ? findAgain(before, paid.invoice, evidence) : firstSight(paid, found.tx, evidence, inherited),
  );
  return [...lost, ...won].filter((change) => change !== null);
}

type NewOutput = FoundTransaction["outputs"][number] & { older: boolean; neverCounts: boolean };

function replacesOlder(invoice: PaidInvoice, inherited: ReadonlyMap<string, Date>): boolean {
  const firstSeenAt = inherited.get(invoice.id);
  return firstSeenAt !== undefined && isRecordedAsOlder({ firstSeenAt }, invoice);
}

/** For each invoice, the earliest time at which one of the replaced payments was first seen. */
function firstSeenOf(conflicting: FoundTransaction["conflicting"]): Map<string, Date> {
  const first = new Map<string, Date>();
  for (const { payment } of conflicting)
    first.set(
      payment.invoiceId,
      earliest(payment.firstSeenAt, first.get(payment.invoiceId) ?? payment.firstSeenAt),
    );
  return first;
}

/** Gains and losses of invoices by a transaction; computed once for all of its outputs. */
interface Sums {
  /** By invoice. */
  paid: ReadonlyMap<string, bigint>;
  /** By invoice: what counted and is lost. */
  live: ReadonlyMap<string, bigint>;
  /** By invoice and lost transaction, whether it counted or was lost before. */
  ofTransaction: ReadonlyMap<string, bigint>;
}

function sumUp(outputs: readonly NewOutput[], conflicting: FoundTransaction["conflicting"]): Sums {
  const lost = conflicting.map(({ payment }) => payment).filter(({ neverCounts }) => !neverCounts);
  return {
    paid: sumBy(
      outputs.filter(({ neverCounts }) => !neverCounts),
      ({ invoice, output }) => [invoice.id, output.valueSats],
    ),
    live: sumBy(lost.filter(isLive), ({ invoiceId, amountSats }) => [invoiceId, amountSats]),
    ofTransaction: sumBy(lost, (payment) => [lostWith(payment), payment.amountSats]),
  };
}

function sumBy<T>(items: readonly T[], termOf: (item: T) => [string, bigint]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [key, sats] of items.map(termOf)) sums.set(key, (sums.get(key) ?? 0n) + sats);
  return sums;
}

function lostWith({ invoiceId, txid }: OnchainPayment): string {
  return `${invoiceId} ${txid}`;
}

/** A row loses an input to the transaction. */
function contest(
  { payment, invoice }: FoundTransaction["conflicting"][number],
  tx: DecodedTx,
  sums: Sums,
  evidence: Evidence,
): PaymentChange | null {
  // It has already lost another input to a block for good.
  if (evidence.where === "mempool" && payment.conflictHeights.length > 0) return null;
  const { now } = evidence;
  const paidInstead = sums.paid.get(invoice.id) ?? 0n;
  // Everything that counts and is lost with it; for a payment that was lost before, its own transaction.
  const replacedSats = isLive(payment)
    ? sums.live.get(invoice.id)
    : sums.ofTransaction.get(lostWith(payment));
  const conflictSince = notAhead(payment.conflictSince, now) ?? now;
  const believed =
    evidence.where === "block" ||
    paidInstead > 0n ||
    now < invoice.expiresAt ||
    now.getTime() - conflictSince.getTime() >= CONFLICT_BELIEVED_AFTER_MS;
  const after: OnchainPayment = {
    ...payment,
    state: believed ? "replaced" : payment.state,
    conflictTxid: tx.txid,
    conflictSince,
    conflictHeights:
      evidence.where === "block"
        ? withHeight(payment.conflictHeights, evidence.height)
        : payment.conflictHeights,
    blockHeight: null,
    blockHash: null,
    leftBlockAt: payment.blockHeight === null ? payment.leftBlockAt : now,
    missingSince: null,
    inputsMissingHeight: null,
    givenUp: false,
  };
  if (
    after.state === payment.state &&
    after.conflictTxid === payment.conflictTxid &&
    after.conflictSince === payment.conflictSince &&
    after.conflictHeights.length === payment.conflictHeights.length
  )
    return null;
  return {
    kind: believed ? "replaced" : "contested",
    payment: after,
    doubleSpend:
      paidInstead < (replacedSats ?? 0n) &&
      !payment.neverCounts &&
      (isLive(payment) || payment.confirmedAt !== null),
  };
}

function withHeight(heights: readonly number[], height: number): number[] {
  return [...new Set([...heights, height])].sort((a, b) => a - b);
}

function findAgain(payment: OnchainPayment, invoice: PaidInvoice, evidence: Evidence): PaymentChange | null {
  const seenAt = evidence.where === "block" ? evidence.minedAt : evidence.acceptedAt;
  const after: OnchainPayment = {
    ...payment,
    state: isLive(payment) ? payment.state : liveState(payment.requiredConfirmations),
    firstSeenAt: earliest(payment.firstSeenAt, notBefore(invoice.createdAt, seenAt)),
    conflictTxid: null,
    conflictSince: null,
    conflictHeights: [],
    missingSince: null,
    inputsMissingHeight: null,
    givenUp: false,
  };
  if (evidence.where === "block") putInBlock(after, evidence);
  if (!isLive(payment)) return { kind: "returned", payment: after, doubleSpend: false };
  if (after.blockHash !== payment.blockHash) return { kind: "mined", payment: after, doubleSpend: false };
  const same =
    after.firstSeenAt.getTime() === payment.firstSeenAt.getTime() &&
    payment.conflictTxid === null &&
    payment.missingSince === null;
  return same ? null : { kind: "returned", payment: after, doubleSpend: false };
}

function firstSight(
  { output, invoice, older, neverCounts }: NewOutput,
  tx: DecodedTx,
  evidence: Evidence,
  inherited: ReadonlyMap<string, Date>,
): PaymentChange {
  const { now } = evidence;
  const requiredConfirmations = requiredForPayment({
    required: invoice.requiredConfirmations,
    amountSats: output.valueSats,
    zeroConfMaxSats: invoice.zeroConfMaxSats,
    // In a block there is nothing left to replace.
    replaceable:
      evidence.where === "mempool" &&
      (tx.signalsReplaceability || evidence.hasUnconfirmedAncestors || evidence.conflictsUnseen),
    coinbase: tx.coinbase,
  });
  const foundAt = evidence.where === "block" ? evidence.minedAt : evidence.acceptedAt;
  const firstAt = earliest(now, foundAt, evidence.listedAt ?? now, inherited.get(invoice.id) ?? now);
  const { arrivalUnknown } = invoice;
  // Expired was not published.
  const missed =
    arrivalUnknown === "anywhere" || arrivalUnknown === evidence.where ? [invoice.expiresAt] : [];
  const state = liveState(requiredConfirmations);
  const payment: OnchainPayment = {
    id: `${tx.txid}:${output.vout}`,
    invoiceId: invoice.id,
    amountSats: output.valueSats,
    state,
    neverCounts,
    firstSeenAt: older ? firstAt : notBefore(invoice.createdAt, earliest(firstAt, ...missed)),
    confirmedAt: state === "confirmed" ? now : null,
    requiredConfirmations,
    txid: tx.txid,
    vout: output.vout,
    blockHeight: null,
    blockHash: null,
    conflictTxid: null,
    conflictSince: null,
    conflictHeights: [],
    missingSince: null,
    inputsMissingHeight: null,
    givenUp: false,
    leftBlockAt: null,
  };
  if (evidence.where === "block") putInBlock(payment, evidence);
  return { kind: "seen", payment, doubleSpend: false };
}

/** A first confirmation. What waits for later ones is confirmed by IS_DEEP_ENOUGH of commands/chain/queries. */
function putInBlock(
  payment: OnchainPayment,
  { height, hash, now }: Extract<Evidence, { where: "block" }>,
): void {
  payment.blockHeight = height;
  payment.blockHash = hash;
  if (payment.state !== "pending" || payment.requiredConfirmations > 1) return;
  payment.state = "confirmed";
  payment.confirmedAt = now;
}

function earliest(first: Date, ...others: Date[]): Date {
  return others.reduce((least, date) => (date < least ? date : least), first);
}

function notBefore(limit: Date, date: Date): Date {
  return date < limit ? limit : date;
}
