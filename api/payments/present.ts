import type { LedgerLine } from "../../commands/payments/ledger";
import { formatBtc } from "../../domain/money/money";
import type { Columns } from "../http/export";

export function presentLine({ reason, rate, ...line }: LedgerLine) {
  return {
    ...line,
    counted: reason === null,
    reason,
    rate: rate && { ...rate, spread: Number(rate.spread) },
  };
}

/** This head never changes: people's imports name its columns. */
export const LEDGER_COLUMNS: Columns<LedgerLine> = [
  ["date", ({ day }) => day],
  ["time", ({ time }) => time],
  ["at", ({ at }) => at],
  ["kind", ({ kind }) => kind],
  ["orderId", ({ orderId }) => orderId],
  ["invoiceId", ({ invoiceId }) => invoiceId],
  ["method", ({ type }) => type],
  ["reference", ({ reference }) => reference],
  ["sats", ({ amountSats }) => amountSats],
  ["btc", ({ amountSats }) => formatBtc(amountSats)],
  ["counted", ({ reason }) => reason === null],
  ["reason", ({ reason }) => reason],
  ["amount", ({ fiatAmount }) => fiatAmount],
  ["currency", ({ currency }) => currency],
  ["rate", ({ rate }) => rate?.value ?? null],
  ["rateSources", ({ rate }) => rate?.sources.join(" ") ?? null],
  ["rateAt", ({ rate }) => rate?.at ?? null],
];
