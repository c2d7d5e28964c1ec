import type { PaymentState } from "../invoice/status";
import type { DecodedTx, TxOutput } from "./decode-tx";

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

import type { UnknownArrival } from "../invoice/expiry-hold";
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
