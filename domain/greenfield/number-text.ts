import { Decimal } from "decimal.js";

const NUMBER = /^\s*[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,2})?\s*$/;
const Exact = Decimal.clone({ precision: 200, toExpNeg: -200, toExpPos: 200 });

/** The digits as sent, without trailing zeros: no binary fraction comes between. Null for any other text. */
export function plainDecimal(rawJson: string): string | null {
  const text = rawJson.startsWith('"') ? (JSON.parse(rawJson) as string) : rawJson;
  return NUMBER.test(text) ? new Exact(text.trim().replace(/\.(?=$|[eE])/, "")).toFixed() : null;
}
