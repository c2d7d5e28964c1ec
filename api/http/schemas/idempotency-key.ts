import { z } from "zod";

const MAX_LENGTH = 255;
const VISIBLE = /^[\x20-\x7e]+$/;
/** RFC 8941: only quote and backslash are escaped. */
const QUOTED = /^"(?:[^"\\]|\\["\\])*"$/;

const MESSAGE = `Must be 1 to ${MAX_LENGTH} printable ASCII characters, with or without quotes, in one header.`;

/** The IETF draft has a quoted string, but most clients send it bare: `"a"` and `a` are the same key. Null: none. */
const idempotencyKey = z
  .array(z.string())
  .max(1, MESSAGE)
  .transform(([line]) => (line === undefined ? null : bare(line)))
  .refine((key) => key === null || (VISIBLE.test(key) && key.length <= MAX_LENGTH), MESSAGE);

export const idempotentHeaders = z.object({ "Idempotency-Key": idempotencyKey });

/** Empty, and so refused, if the quotes do not match. */
function bare(line: string): string {
  if (!line.startsWith('"')) return line;
  return QUOTED.test(line) ? line.slice(1, -1).replace(/\\(.)/g, "$1") : "";
}
