/** Patterns for LIKE, of which one must match. */
export type Alternatives = readonly string[];

/** More narrow nothing down, and each is one more search in the index. */
const WORDS_MAX = 8;
/** An index of trigrams finds nothing shorter. */
const PART_MIN_LENGTH = 3;

const CURRENCY_SIGNS: Readonly<Record<string, string>> = {
  "€": "EUR",
  $: "USD",
  "£": "GBP",
  "¥": "JPY",
  "₿": "BTC",
};
const SIGN = "[€$£¥₿]";
/** "€49.90", "49,90€", "EUR 49.90" in one word. */
const AMOUNT = new RegExp(`^(${SIGN}|[A-Za-z]{3,4})?(\\d[\\d.,'’]*)(${SIGN}|[A-Za-z]{3,4})?$`);

/** In order id, description, amount without trailing zeros and currency, with a space before and after each. */
export function searchPatterns(text: string): Alternatives[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return words.slice(0, WORDS_MAX).map(patternsOf);
}

function patternsOf(word: string): Alternatives {
  const sign = CURRENCY_SIGNS[word];
  if (sign !== undefined) return [`% ${sign} %`];
  return [...new Set([...amountPatterns(word), ...textPatterns(literal(word))])];
}

/** Short ones where they stand by themselves, or begin the order id. */
const textPatterns = (word: string): string[] =>
  [...word].length < PART_MIN_LENGTH ? [` ${word}%`, `% ${word} %`] : [`%${word}%`];

function amountPatterns(word: string): string[] {
  const [whole, before, digits = "", after] = AMOUNT.exec(word) ?? [];
  if (whole === undefined) return [];
  const [currency] = [before, after]
    .filter((one) => one !== undefined)
    .map((one) => CURRENCY_SIGNS[one] ?? one);
  const end = currency === undefined ? " %" : ` ${currency} %`;
  return readings(digits).map((amount) => `% ${amount}${end}`);
}

/** "1,234" is one thousand to some and one to others: both. */
function readings(digits: string): string[] {
  const plain = /^\d+$/;
  const grouped = /^\d{1,3}([.,'’])\d{3}(\1\d{3})*$/;
  const found = plain.test(digits) || grouped.test(digits) ? [digits.replace(/\D/g, "")] : [];
  const [, whole, fraction] = /^(\d+|\d{1,3}(?:[.,'’]\d{3})+)[.,](\d+)$/.exec(digits) ?? [];
  if (whole !== undefined && fraction !== undefined) found.push(`${whole.replace(/\D/g, "")}.${fraction}`);
  return found.map(withoutZeros);
}

/** As `trim_scale` writes it. */
function withoutZeros(amount: string): string {
  const [whole = "", fraction = ""] = amount.split(".");
  const [head, tail] = [whole.replace(/^0+(?=\d)/, ""), fraction.replace(/0+$/, "")];
  return tail === "" ? head : `${head}.${tail}`;
}

const literal = (word: string): string => word.replace(/[\\%_]/g, "\\$&");

/** Found as a whole only: an invoice's id, a txid or payment hash. */
export const isReference = (text: string): boolean =>
  /^inv_\w+$/.test(text) || /^[0-9a-fA-F]{64}$/.test(text);
