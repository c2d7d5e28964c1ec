import { isAscii } from "node:buffer";

/** Below this there is nothing to gain. */
const LONG_BYTES = 65_536;
const BEFORE_TEXT = '{"result":"';
const QUOTE = '"';
const BACKSLASH = "\\";

/**
 * JSON.parse of an answer of bitcoind. One that is a long text, as a block's millions of digits are, goes around it:
 * what is plain ASCII without escapes stands for itself.
 * @throws SyntaxError
 */
export function parseAnswer(body: Buffer): unknown {
  const from = BEFORE_TEXT.length;
  if (body.length >= LONG_BYTES && body.toString("latin1", 0, from) === BEFORE_TEXT && isAscii(body)) {
    const to = body.indexOf(QUOTE, from);
    const text = body.toString("latin1", from, to);
    if (to !== -1 && !text.includes(BACKSLASH)) {
      const rest = JSON.parse(BEFORE_TEXT + body.toString("latin1", to)) as object;
      return { ...rest, result: text };
    }
  }
  return JSON.parse(body.toString("utf8"));
}
