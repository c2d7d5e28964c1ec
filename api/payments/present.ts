import type { LedgerLine } from "../../commands/payments/ledger";
import { formatBtc } from "../../domain/money/money";
import type { Columns } from "../http/export";

/** A refund always is: the money has left. */
const isCounted = ({ kind, reason }: LedgerLine): boolean => kind === "refund" || reason === null;

export function presentLine(line: LedgerLine) {
  const { rate } = line;
  return {
    ...line,
    counted: isCounted(line),
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
  ["counted", isCounted],
  ["reason", ({ reason }) => reason],
  ["amount", ({ fiatAmount }) => fiatAmount],
  ["currency", ({ currency }) => currency],
  ["rate", ({ rate }) => rate?.value ?? null],
  ["rateSources", ({ rate }) => rate?.sources.join(" ") ?? null],
  ["rateAt", ({ rate }) => rate?.at ?? null],
];
