import { Decimal } from "decimal.js";
import { invalidField } from "../errors";
import { aboveMaximum, bitcoinToSats, fiatToSats, MAX_SATS, parseAmount } from "../money/money";

/**
 * In whole sats, rounded up.
 * @param rate units of `currency` for one bitcoin as a decimal string; null for BTC and SATS.
 * @throws DomainError `validation-failed` at `/amount` or `/currency`.
 */
export function dueSats(amount: string, currency: string, rate: string | null): bigint {
  const value = parseAmount(amount, currency);
  if (currency === "BTC" || currency === "SATS") return bitcoinToSats(value, currency);
  if (rate === null || !isPrice(rate)) throw new RangeError(`A price in ${currency} needs a rate above 0.`);
  const due = fiatToSats(value, rate);
  if (due > MAX_SATS) throw aboveMaximum();
  return due;
}

/** @throws DomainError `validation-failed` at `/amount`, above the store's own maximum. */
export function checkLargest(due: bigint, maxInvoiceSats: bigint | null): void {
  if (maxInvoiceSats !== null && due > maxInvoiceSats)
    throw invalidField(
      "/amount",
      `Must be at most ${maxInvoiceSats} sats, the largest invoice that this store allows (its setting maxInvoiceSats). This is ${due} sats.`,
    );
}

/** Due × (1 − tolerance/100), rounded up. `paymentTolerance` in percent, 0 ≤ t < 100. */
export function minDueSats(due: bigint, paymentTolerance: string): bigint {
  const tolerance = new Decimal(paymentTolerance);
  if (!(tolerance.gte(0) && tolerance.lt(100)))
    throw new RangeError("A payment tolerance is at least 0 and below 100 percent.");
  const places = tolerance.decimalPlaces();
  const scale = 10n ** BigInt(places);
  const kept = 100n * scale - BigInt(tolerance.toFixed(places).replace(".", ""));
  const whole = 100n * scale;
  return (due * kept + whole - 1n) / whole;
}

function isPrice(rate: string): boolean {
  const value = new Decimal(rate);
  return value.isFinite() && value.gt(0);
}
