import type { InvoiceRate } from "../../api/invoices";
import { formatAmount } from "../../kit/format/format-money";

const SATS_PER_BTC = 100_000_000;

/** By its own rate. For people: rounded. */
export const inCurrency = (sats: number, rate: InvoiceRate, currency: string): string =>
  formatAmount(((sats / SATS_PER_BTC) * Number(rate.value)).toFixed(4), currency);
