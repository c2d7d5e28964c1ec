import { Decimal } from "decimal.js";

const NUMBER = /^\s*[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,2})?\s*$/;
const Exact = Decimal.clone({ precision: 200, toExpNeg: -200, toExpPos: 200 });

/**
 * The text of a JSON number, or of a string with a number in it, as a plain decimal string without trailing zeros; null
 * for any other text. The digits are those that were sent: no binary fraction comes between.
 */
export function plainDecimal(rawJson: string): string | null {
  const text = rawJson.startsWith('"') ? (JSON.parse(rawJson) as string) : rawJson;
  return NUMBER.test(text) ? new Exact(text.trim().replace(/\.(?=$|[eE])/, "")).toFixed() : null;
}
