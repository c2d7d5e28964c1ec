import { invalidField } from "../errors";
import { parseAmount } from "../money/money";

export const CHOICES_MAX = 12;

/** A fixed amount, a choice of several, or the customer's own within both bounds. Decimal strings in `currency`. */
export interface LinkPrice {
  currency: string;
  amounts: readonly string[] | null;
  minAmount: string | null;
  maxAmount: string | null;
}

/** @throws DomainError `validation-failed` at `/currency`, `/amounts`, `/minAmount` or `/maxAmount`. */
export function checkPrice({ currency, amounts, minAmount, maxAmount }: LinkPrice): void {
  if (amounts !== null && (minAmount !== null || maxAmount !== null))
    throw invalidField("/amounts", "Must be left out with minAmount and maxAmount.");
  if (amounts !== null) return checkChoices(amounts, currency);
  if (minAmount === null && maxAmount === null)
    throw invalidField(
      "/amounts",
      "Must name at least one amount, unless minAmount and maxAmount are given.",
    );
  if (minAmount === null) throw invalidField("/minAmount", "Must be given with maxAmount.");
  if (maxAmount === null) throw invalidField("/maxAmount", "Must be given with minAmount.");
  const least = parseAmount(minAmount, currency, "/minAmount");
  if (least.gt(parseAmount(maxAmount, currency, "/maxAmount")))
    throw invalidField("/minAmount", "Must not be above maxAmount.");
}

function checkChoices(amounts: readonly string[], currency: string): void {
  if (amounts.length === 0) throw invalidField("/amounts", "Must name at least one amount.");
  if (amounts.length > CHOICES_MAX)
    throw invalidField("/amounts", `Must name at most ${CHOICES_MAX} amounts.`);
  const values = amounts.map((amount, at) => parseAmount(amount, currency, `/amounts/${at}`).toFixed());
  if (new Set(values).size < values.length) throw invalidField("/amounts", "Names an amount twice.");
}

/** A customer may pay it at this link. The amount is valid in the link's currency. */
export function isOffered({ currency, amounts, minAmount, maxAmount }: LinkPrice, amount: string): boolean {
  const value = parseAmount(amount, currency);
  if (amounts !== null) return amounts.some((one) => value.eq(one));
  return minAmount !== null && maxAmount !== null && value.gte(minAmount) && value.lte(maxAmount);
}
