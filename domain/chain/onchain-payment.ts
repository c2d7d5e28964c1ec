import type { PaymentState } from "../invoice/status";
import type { DecodedTx, TxOutput } from "./decode-tx";
import type { UnknownArrival } from "../invoice/expiry-hold";

/** An on-chain payment as its row has it. */
export interface OnchainPayment {
  id: string;
  invoiceId: string;
  amountSats: bigint;
  state: PaymentState;
  /** Below the dust limit, or older than the invoice. */
  neverCounts: boolean;
  /** Before the invoice's creation only where it is older than the invoice. */
  firstSeenAt: Date;
  confirmedAt: Date | null;
  requiredConfirmations: number;
  txid: string | null;
  vout: number | null;
  blockHeight: number | null;
  blockHash: string | null;
  conflictTxid: string | null;
  conflictSince: Date | null;
  /** The heights, ascending, of blocks of the active chain that contain a conflicting transaction. */
  conflictHeights: number[];
  missingSince: Date | null;
  /** The tip at which the node first refused it for missing inputs; every refusal since had the same reason. */
  inputsMissingHeight: number | null;
  /** It has been missing for so long that it counts as double-spent: see refused-payment.ts. */
  givenUp: boolean;
  leftBlockAt: Date | null;
}

/** Known of an invoice by the rules about payments. */
export interface PaidInvoice {
  id: string;
  createdAt: Date;
  expiresAt: Date;
  requiredConfirmations: number;
  zeroConfMaxSats: bigint | null;
  /** Where a payment that is first found there may have come in time: see unknownArrival. */
  arrivalUnknown: UnknownArrival;
}

/** Where a transaction was found. */
export type Sighting =
  | {
      where: "mempool";
      /** When the node accepted it. */
      acceptedAt: Date;
      /** It spends an unconfirmed output: a double spend of that makes it invalid too. */
      hasUnconfirmedAncestors: boolean;
    }
  | { where: "block"; minedAt: Date; height: number; hash: string };

export type Evidence = Sighting & {
  /** The database's clock. */
  now: Date;
  /** When it was found in the mempool, as far as that is remembered, before it was found here. */
  listedAt: Date | null;
  /** When it was not in the mempool yet, as far as that is remembered. */
  absentAt: Date | null;
  /** The node may have missed a transaction that conflicts with this one. */
  conflictsUnseen: boolean;
};

export interface FoundTransaction {
  tx: DecodedTx;
  /** The outputs that pay a watched script. */
  outputs: readonly { output: TxOutput; invoice: PaidInvoice }[];
  /** The rows of other transactions that spend an input of this one, directly or through a stored ancestor. */
  conflicting: readonly { payment: OnchainPayment; invoice: PaidInvoice }[];
}

/** A miner's clock may be two hours off, and a block's time below that of its parent. */
export const BLOCK_TIME_MARGIN_MS = 4 * 3_600_000;

/** The clock of the node and that of the database may differ by so much. */
export const CLOCK_MARGIN_MS = 60_000;

/** Whether a block was surely mined before an invoice was created. */
export function isMinedBefore(minedAt: Date, createdAt: Date): boolean {
  return createdAt.getTime() > minedAt.getTime() + BLOCK_TIME_MARGIN_MS;
}

/**
 * A transaction that the node had before the invoice was created is not its customer's: the address was used before, or
 * the merchant's own wallet gives it away too. The other explanation is a clock: of the database, ahead, or of the node,
 * behind. So the node's date proves nothing where its mempool was listed after the creation, and did not have it.
 */
export function isOlderThan({ createdAt }: PaidInvoice, evidence: Evidence): boolean {
  if (evidence.where === "block" && isMinedBefore(evidence.minedAt, createdAt)) return true;
  if (evidence.where === "mempool" && evidence.absentAt !== null && evidence.absentAt >= createdAt)
    return false;
  const hadAt = evidence.where === "block" ? evidence.listedAt : evidence.acceptedAt;
  return hadAt !== null && createdAt.getTime() > hadAt.getTime() + CLOCK_MARGIN_MS;
}

/** Whether a payment was recorded as older than its invoice. A replacement by fee inherits this with the time. */
export function isRecordedAsOlder(
  { firstSeenAt }: Pick<OnchainPayment, "firstSeenAt">,
  { createdAt }: Pick<PaidInvoice, "createdAt">,
): boolean {
  return firstSeenAt < createdAt;
}

/** For people: the payments of one transaction to one invoice, as the subject of a sentence in the singular. */
export function describePayments(
  payments: readonly Pick<OnchainPayment, "id" | "txid" | "amountSats">[],
): string {
  const [payment] = payments;
  const total = payments.reduce((sum, { amountSats }) => sum + amountSats, 0n);
  return payments.length === 1 && payment
    ? `Payment ${payment.id} of ${total} sats`
    : `Transaction ${payment?.txid ?? ""} with ${payments.length} payments of ${total} sats together`;
}

/** Whether it has neither been replaced nor evicted. */
export function isLive({ state }: Pick<OnchainPayment, "state">): boolean {
  return state === "pending" || state === "confirmed";
}

/** When no confirmation is required, detection is confirmation. */
export function liveState(requiredConfirmations: number): "pending" | "confirmed" {
  return requiredConfirmations === 0 ? "confirmed" : "pending";
}

/**
 * Undoes a block of the processed chain: its payments are unconfirmed again, and its conflicting transactions no
 * longer count as confirmed. `now`: the database's clock.
 */
export function undoBlockFor(
  payment: OnchainPayment,
  block: { hash: string; height: number },
  now: Date,
): OnchainPayment {
  const wasIn = payment.blockHash === block.hash;
  return {
    ...payment,
    state: wasIn && isLive(payment) ? liveState(payment.requiredConfirmations) : payment.state,
    blockHeight: wasIn ? null : payment.blockHeight,
    blockHash: wasIn ? null : payment.blockHash,
    leftBlockAt: wasIn ? now : payment.leftBlockAt,
    conflictHeights: payment.conflictHeights.filter((height) => height !== block.height),
  };
}

/** Whether it was confirmed once and vanished, though no known block spends its coins elsewhere. */
export function isLost(payment: OnchainPayment): boolean {
  return !isLive(payment) && payment.confirmedAt !== null && payment.conflictHeights.length === 0;
}

/** Whether a payment that was confirmed once has been spent elsewhere in the chain (rows 7 and 12). */
export function isDoubleSpent({
  state,
  confirmedAt,
  conflictHeights,
  givenUp,
}: Pick<OnchainPayment, "state" | "confirmedAt" | "conflictHeights" | "givenUp">): boolean {
  return state === "replaced" && confirmedAt !== null && (conflictHeights.length > 0 || givenUp);
}

/** Confirmations of a transaction in the block at `blockHeight`; 0 in no block, or in one above the tip. */
export function confirmationsAt(blockHeight: number | null, tipHeight: number): number {
  return blockHeight === null ? 0 : Math.max(0, tipHeight - blockHeight + 1);
}
