/**
 * An array of one dimension as Postgres reads it ("Array Input and Output Syntax"): numbers, booleans, texts, instants,
 * bytes and null. The driver makes the same of an array, for three times the work: each text is searched twice, and an
 * instant is told in local time.
 */
export function arrayLiteral(values: readonly unknown[]): string {
  let text = "";
  for (const value of values) text += text === "" ? element(value) : `,${element(value)}`;
  return `{${text}}`;
}

const SPECIAL = /["\\]/;
const EACH_SPECIAL = /["\\]/g;

function element(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string")
    return SPECIAL.test(value) ? `"${value.replace(EACH_SPECIAL, "\\$&")}"` : `"${value}"`;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return value.toString();
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString("hex")}"`;
  throw new TypeError("no element of an array");
}
