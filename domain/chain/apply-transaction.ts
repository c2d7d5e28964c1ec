import { requiredForPayment } from "../invoice/confirmations-required";
import type { PaymentState } from "../invoice/status";
import type { DecodedTx, TxOutput } from "./decode-tx";
import { dustLimitSats } from "./dust";

/** An on-chain payment as its row has it. */
export interface OnchainPayment {
  id: string;
  invoiceId: string;
  amountSats: bigint;
  state: PaymentState;
  belowDust: boolean;
  firstSeenAt: Date;
  confirmedAt: Date | null;
  requiredConfirmations: number;
  txid: string | null;
  vout: number | null;
  blockHeight: number | null;
  blockHash: string | null;
  rawTx: Buffer | null;
  conflictTxid: string | null;
  conflictSince: Date | null;
  conflictHeight: number | null;
  missingSince: Date | null;
}

/** What of an invoice the rules about its payments ask for. */
export interface PaidInvoice {
  id: string;
  createdAt: Date;
  expiresAt: Date;
  requiredConfirmations: number;
  zeroConfMaxSats: bigint | null;
}

/** Where a transaction was found. `now` is the database's clock. */
export type Evidence =
  | {
      where: "mempool";
      now: Date;
      /** When the node accepted it. */
      acceptedAt: Date;
      /** It, or an unconfirmed ancestor of it, signals replaceability (BIP 125). */
      signalsReplaceability: boolean;
    }
  | { where: "block"; now: Date; minedAt: Date; height: number; hash: string };

export interface FoundTransaction {
  tx: DecodedTx;
  /** The outputs that pay a watched script. */
  outputs: readonly { output: TxOutput; invoice: PaidInvoice }[];
  /** The rows of other transactions that spend an input of this one. */
  conflicting: readonly { payment: OnchainPayment; invoice: PaidInvoice }[];
}

/** seen: new. mined: now in a block. returned: had vanished and is back. contested: another transaction spends its input. */
export type PaymentChangeKind = "seen" | "mined" | "returned" | "contested" | "replaced";

export interface PaymentChange {
  kind: PaymentChangeKind;
  payment: OnchainPayment;
  /** Money that counted went to somebody else, or is about to. */
  doubleSpend: boolean;
}

/** A miner's clock may be two hours off, and a block's time below that of its parent. */
export const BLOCK_TIME_MARGIN_MS = 4 * 3_600_000;
/** After an invoice's expiry an unconfirmed conflict is believed when it has stood for this long. */
export const CONFLICT_BELIEVED_AFTER_MS = 10 * 60_000;

/**
 * What a transaction in the mempool or in a block does to the payment rows: those that it makes or finds again, and
 * those that it conflicts with. Seeing the same thing twice changes nothing.
 *
 * Null when the mempool contradicts the blocks that were processed (a reorganisation is under way): walk the chain,
 * then look again.
 */
export function applyTransaction(
  found: FoundTransaction,
  existing: ReadonlyMap<string, OnchainPayment>,
  evidence: Evidence,
): PaymentChange[] | null {
  const own = found.outputs.filter(isForInvoice(evidence)).map((paid) => ({
    ...paid,
    before: existing.get(`${found.tx.txid}:${paid.output.vout}`),
  }));
  if (evidence.where === "mempool") {
    const mined = found.conflicting.some(({ payment }) => payment.blockHeight !== null);
    const minedOrBeaten = own.some(
      ({ before }) => before && (before.blockHeight !== null || before.conflictHeight !== null),
    );
    if (mined || minedOrBeaten) return null;
  }
  const lost = found.conflicting.map((conflict) => contest(conflict, found, evidence));
  const won = own.map(({ before, ...paid }) =>
    before ? findAgain(before, found, evidence) : firstSight(paid, found, evidence),
  );
  return [...lost, ...won].filter((change) => change !== null);
}

/** What was mined before the invoice was made paid somebody else who used the address: a rescan comes upon it. */
function isForInvoice(evidence: Evidence): (paid: { invoice: PaidInvoice }) => boolean {
  if (evidence.where === "mempool") return () => true;
  const latest = evidence.minedAt.getTime() + BLOCK_TIME_MARGIN_MS;
  return ({ invoice }) => invoice.createdAt.getTime() <= latest;
}

/** A row loses an input to the transaction. */
function contest(
  { payment, invoice }: FoundTransaction["conflicting"][number],
  found: FoundTransaction,
  evidence: Evidence,
): PaymentChange | null {
  // It has lost another input to a block for good.
  if (evidence.where === "mempool" && payment.conflictHeight !== null) return null;
  const { now } = evidence;
  const bumped = found.outputs.some((paid) => paid.invoice.id === invoice.id && !isDust(paid.output));
  const conflictSince = payment.conflictSince ?? now;
  const believed =
    evidence.where === "block" ||
    bumped ||
    now < invoice.expiresAt ||
    now.getTime() - conflictSince.getTime() >= CONFLICT_BELIEVED_AFTER_MS;
  const after: OnchainPayment = {
    ...payment,
    state: believed ? "replaced" : payment.state,
    conflictTxid: found.tx.txid,
    conflictSince,
    conflictHeight: evidence.where === "block" ? evidence.height : null,
    blockHeight: null,
    blockHash: null,
    missingSince: null,
  };
  if (
    after.state === payment.state &&
    after.conflictTxid === payment.conflictTxid &&
    after.conflictHeight === payment.conflictHeight
  )
    return null;
  return {
    kind: believed ? "replaced" : "contested",
    payment: after,
    doubleSpend: !bumped && !payment.belowDust && (isLive(payment) || payment.confirmedAt !== null),
  };
}

function findAgain(
  payment: OnchainPayment,
  found: FoundTransaction,
  evidence: Evidence,
): PaymentChange | null {
  const seenAt = evidence.where === "block" ? evidence.minedAt : evidence.acceptedAt;
  const invoice = found.outputs.find(({ output }) => output.vout === payment.vout)?.invoice;
  const after: OnchainPayment = {
    ...payment,
    state: isLive(payment) ? payment.state : liveState(payment.requiredConfirmations),
    firstSeenAt: earliest(
      payment.firstSeenAt,
      invoice ? notBefore(invoice.createdAt, seenAt) : payment.firstSeenAt,
    ),
    conflictTxid: null,
    conflictSince: null,
    conflictHeight: null,
    missingSince: null,
  };
  if (evidence.where === "block") {
    after.blockHeight = evidence.height;
    after.blockHash = evidence.hash;
  }
  if (!isLive(payment)) return { kind: "returned", payment: after, doubleSpend: false };
  if (after.blockHash !== payment.blockHash) return { kind: "mined", payment: after, doubleSpend: false };
  const same =
    after.firstSeenAt.getTime() === payment.firstSeenAt.getTime() &&
    payment.conflictTxid === null &&
    payment.missingSince === null;
  return same ? null : { kind: "returned", payment: after, doubleSpend: false };
}

function firstSight(
  { output, invoice }: FoundTransaction["outputs"][number],
  found: FoundTransaction,
  evidence: Evidence,
): PaymentChange {
  const { tx } = found;
  const { now } = evidence;
  const requiredConfirmations = requiredForPayment({
    required: invoice.requiredConfirmations,
    amountSats: output.valueSats,
    zeroConfMaxSats: invoice.zeroConfMaxSats,
    // In a block there is nothing left to replace.
    signalsReplaceability: evidence.where === "mempool" && evidence.signalsReplaceability,
    coinbase: tx.coinbase,
  });
  const seenAt = earliest(now, evidence.where === "block" ? evidence.minedAt : evidence.acceptedAt);
  const inherited = found.conflicting
    .filter(({ payment }) => payment.invoiceId === invoice.id)
    .map(({ payment }) => payment.firstSeenAt);
  const state = liveState(requiredConfirmations);
  const payment: OnchainPayment = {
    id: `${tx.txid}:${output.vout}`,
    invoiceId: invoice.id,
    amountSats: output.valueSats,
    state,
    belowDust: isDust(output),
    firstSeenAt: notBefore(invoice.createdAt, earliest(seenAt, ...inherited)),
    confirmedAt: state === "confirmed" ? now : null,
    requiredConfirmations,
    txid: tx.txid,
    vout: output.vout,
    blockHeight: evidence.where === "block" ? evidence.height : null,
    blockHash: evidence.where === "block" ? evidence.hash : null,
    rawTx: tx.toBytes(),
    conflictTxid: null,
    conflictSince: null,
    conflictHeight: null,
    missingSince: null,
  };
  return { kind: "seen", payment, doubleSpend: false };
}

/** A block of the processed chain is taken away: its payments are in none, and what conflicted in it has not won. */
export function takeAwayBlock(
  payment: OnchainPayment,
  block: { hash: string; height: number },
): OnchainPayment {
  const wasIn = payment.blockHash === block.hash;
  return {
    ...payment,
    state: wasIn && isLive(payment) ? liveState(payment.requiredConfirmations) : payment.state,
    blockHeight: wasIn ? null : payment.blockHeight,
    blockHash: wasIn ? null : payment.blockHash,
    conflictHeight: payment.conflictHeight === block.height ? null : payment.conflictHeight,
  };
}

/** Whether it has neither been replaced nor evicted. */
export function isLive({ state }: Pick<OnchainPayment, "state">): boolean {
  return state === "pending" || state === "confirmed";
}

/** Where no confirmation is asked for, being seen is being confirmed. */
export function liveState(requiredConfirmations: number): "pending" | "confirmed" {
  return requiredConfirmations === 0 ? "confirmed" : "pending";
}

function isDust({ valueSats, scriptPubKey }: TxOutput): boolean {
  return valueSats < dustLimitSats(scriptPubKey);
}

function earliest(first: Date, ...others: Date[]): Date {
  return others.reduce((least, date) => (date < least ? date : least), first);
}

function notBefore(limit: Date, date: Date): Date {
  return date < limit ? limit : date;
}
