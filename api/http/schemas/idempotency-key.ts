import { z } from "zod";

const MAX_LENGTH = 255;
const VISIBLE = /^[\x20-\x7e]+$/;
/** An RFC 8941 string: only the quote and the backslash are escaped. */
const QUOTED = /^"(?:[^"\\]|\\["\\])*"$/;

const MESSAGE = `Must be 1 to ${MAX_LENGTH} printable ASCII characters, with or without quotes, in one header.`;

/**
 * The header's lines. The IETF draft specifies a quoted string, but most clients send the key bare: `"a"` and `a`
 * are the same key. Null if there is none.
 */
const idempotencyKey = z
  .array(z.string())
  .max(1, MESSAGE)
  .transform(([line]) => (line === undefined ? null : bare(line)))
  .refine((key) => key === null || (VISIBLE.test(key) && key.length <= MAX_LENGTH), MESSAGE);

/** The checked headers of an idempotent operation. */
export const idempotentHeaders = z.object({ "Idempotency-Key": idempotencyKey });

/** Empty, and so refused, if the quotes do not match. */
function bare(line: string): string {
  if (!line.startsWith('"')) return line;
  return QUOTED.test(line) ? line.slice(1, -1).replace(/\\(.)/g, "$1") : "";
}
