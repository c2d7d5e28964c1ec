import { Decimal } from "decimal.js";
import { checkedMinorUnits, minorUnits } from "./currencies";
import { invalidField } from "../errors";

/** No sum of ours is ever rounded by the library. */
const Exact = Decimal.clone({ precision: 100, toExpNeg: -100, toExpPos: 100 });

export const SATS_PER_BTC = 100_000_000n;
/** All bitcoin that there can be. */
export const MAX_SATS = 21_000_000n * SATS_PER_BTC;

export const DECIMAL = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
export const MAX_AMOUNT_LENGTH = 40;

/**
 * A decimal string above 0 with no more digits than the currency has.
 * @throws DomainError `validation-failed` at `/currency` or `field`.
 */
export function parseAmount(amount: string, currency: string, field = "/amount"): Decimal {
  const digits = checkedMinorUnits(currency);
  if (amount.length > MAX_AMOUNT_LENGTH || !DECIMAL.test(amount))
    throw invalidField(
      field,
      'Must be a decimal string such as "12.50": a decimal point, and no comma, sign, exponent or spaces.',
    );
  const value = new Exact(amount);
  if (value.isZero()) throw invalidField(field, "Must be above 0.");
  if ((amount.split(".")[1] ?? "").length > digits)
    throw invalidField(field, digits === 0 ? `${currency} has no decimals.` : tooFine(currency, digits));
  if ((currency === "BTC" || currency === "SATS") && bitcoinToSats(value, currency) > MAX_SATS)
    throw aboveMaximum(field);
  return value;
}

/** Half up; one of an unknown currency unchanged. */
export function roundAmount(amount: string, currency: string): string {
  const digits = minorUnits(currency);
  if (digits === undefined || amount.length > MAX_AMOUNT_LENGTH || !DECIMAL.test(amount)) return amount;
  return new Exact(amount).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP).toFixed();
}

/** A valid amount with all of its currency's digits: "12.5" EUR is "12.50". */
export function fullAmount(amount: string, currency: string): string {
  return new Exact(amount).toFixed(minorUnits(currency) ?? 0);
}

/** Exactly, with all of the currency's digits. */
export function sumAmounts(amounts: readonly string[], currency: string): string {
  const sum = amounts.reduce((so, amount) => so.plus(amount), new Exact(0));
  return fullAmount(sum.toFixed(), currency);
}

export function aboveMaximum(field = "/amount"): Error {
  return invalidField(field, "Must be at most 21,000,000 BTC.");
}

export function bitcoinToSats(value: Decimal, currency: "BTC" | "SATS"): bigint {
  return BigInt((currency === "BTC" ? value.times(SATS_PER_BTC.toString()) : value).toFixed(0));
}

/** Rounded up; `rate`: one bitcoin's price. */
export function fiatToSats(value: Decimal, rate: string): bigint {
  const sats = new Exact(value).times(SATS_PER_BTC.toString()).dividedBy(rate);
  return BigInt(sats.toFixed(0, Decimal.ROUND_CEIL));
}

/** Half up, with all of the currency's digits; for showing, never for deciding. */
export function satsToFiat(sats: bigint, rate: string, currency: string): string {
  const fiat = new Exact(sats.toString()).times(rate).dividedBy(SATS_PER_BTC.toString());
  return fiat.toFixed(minorUnits(currency) ?? 2, Decimal.ROUND_HALF_UP);
}

/** Without trailing zeros: 10000n is "0.0001". */
export function formatBtc(sats: bigint): string {
  return new Exact(sats.toString()).dividedBy(SATS_PER_BTC.toString()).toFixed();
}

/** With all 8 decimals: 10000n is "0.00010000". */
export function fullBtc(sats: bigint): string {
  return fullAmount(formatBtc(sats), "BTC");
}

function tooFine(currency: string, digits: number): string {
  return `${currency} has at most ${digits} decimals.`;
}
