import { isFiat } from "../../../domain/money/currencies";
import type { Language } from "../../../domain/languages/language";

/** As the merchant priced it: no rate is asked before somebody pays. */
export function linkAmount(language: Language, amount: string, currency: string): string {
  if (isFiat(currency)) return language.fiat(amount, currency);
  return currency === "SATS" ? language.sats(BigInt(amount)) : `${amount} ${currency}`;
}
