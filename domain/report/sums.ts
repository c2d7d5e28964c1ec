import { groupBy } from "../group-by";
import type { AdditionalStatus, InvoiceStatus } from "../invoice/status";

/** Confirmed payments and recorded refunds, by the currency of their invoices. */
export interface LedgerSum {
  currency: string;
  onchain: string;
  lightning: string;
  refunded: string;
  payments: number;
  refunds: number;
  /** Each line is rounded, so that this is their sum; 0 without a rate. */
  fiatReceived: string;
  fiatRefunded: string;
}

/** By creation: invoices of one status and currency. */
export interface CreatedSum {
  status: InvoiceStatus;
  currency: string;
  count: number;
  /** Sum of the prices. */
  amount: string;
  dueSats: string;
}

/** All that reports, books and the home page add up of a day. Stored (entities/day-sums.ts). */
export interface Sums {
  ledger: LedgerSum[];
  created: CreatedSum[];
  qualified: { additionalStatus: AdditionalStatus; count: number }[];
  /** In seconds, of the newest Settled invoices. */
  toPayment: number[];
  toSettled: number[];
}

export const totalOf = (texts: readonly string[]): bigint =>
  texts.reduce((sum, text) => sum + BigInt(text), 0n);

/** In the order of the currencies. */
export const byCurrency = <T extends { currency: string }>(
  rows: readonly T[],
): [currency: string, own: T[]][] =>
  [...groupBy(rows, ({ currency }) => currency)].sort(([one], [other]) => (one < other ? -1 : 1));

export interface Received {
  onchainSats: bigint;
  lightningSats: bigint;
}

export function receivedIn(days: readonly Sums[]): Received {
  const ledger = days.flatMap((day) => day.ledger);
  return {
    onchainSats: totalOf(ledger.map(({ onchain }) => onchain)),
    lightningSats: totalOf(ledger.map(({ lightning }) => lightning)),
  };
}
