import { DECIMAL, MAX_AMOUNT_LENGTH } from "../money/money";

/** Arabic and Persian keyboards have digits and a separator of their own. */
const OTHER_DIGITS = /[٠-٩۰-۹]/g;
const SEPARATOR = /[,٫]/g;
const BLANKS = /[\s\u200e\u200f]/g;
const LEADING_ZEROS = /^0+(?=\d)/;

/**
 * As people write amounts, to a decimal string; null if it is none. A separator of thousands is refused rather than
 * guessed: "1.000,50" has two separators, and "1,000" has too many decimals for most currencies.
 */
export function readTypedAmount(typed: string): string | null {
  if (typed.length > MAX_AMOUNT_LENGTH) return null;
  const text = typed
    .replace(BLANKS, "")
    .replace(OTHER_DIGITS, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replace(SEPARATOR, ".")
    .replace(LEADING_ZEROS, "");
  const whole = text.startsWith(".") ? `0${text}` : text;
  return DECIMAL.test(whole) ? whole : null;
}
