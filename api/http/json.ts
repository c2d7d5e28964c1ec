/** Inserted unchanged. A class: no text of a merchant can pass for it. */
export class RawJson {
  constructor(readonly text: string) {}
}

/**
 * Like JSON.stringify, with RawJson, `Date` as RFC 3339 UTC, and `bigint` as a number below 2^53 (all bitcoin: 2.1 ×
 * 10^15 sats).
 */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (typeof value === "bigint") return exactInteger(value);
  if (Array.isArray(value)) return `[${value.map(toJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    let members = "";
    for (const [name, member] of Object.entries(value))
      if (member !== undefined)
        members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${toJson(member)}`;
    return `{${members}}`;
  }
  return JSON.stringify(value) ?? "null";
}

function exactInteger(value: bigint): string {
  if (!Number.isSafeInteger(Number(value))) throw new RangeError("amount too large for a JSON number");
  return value.toString();
}
