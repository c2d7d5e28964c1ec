/** Below this there is nothing to gain. */
const LONG_DIGITS = 65_536;
const BEFORE_TEXT = '{"result":"';
const QUOTE = '"';

/**
 * JSON.parse of an answer of bitcoind that came in these pieces. A result that is a long text of hexadecimal digits, as
 * a block's millions are, goes around it, and is its bytes in place of the text.
 * @throws SyntaxError
 */
export function parseAnswer(pieces: readonly Buffer[]): unknown {
  return withBytes(pieces) ?? JSON.parse(Buffer.concat(pieces).toString("utf8"));
}

/** Undefined where the result is anything else. */
function withBytes(pieces: readonly Buffer[]): object | undefined {
  const [first] = pieces;
  if (first?.toString("latin1", 0, BEFORE_TEXT.length) !== BEFORE_TEXT) return undefined;
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  if (size < LONG_DIGITS) return undefined;
  const bytes = Buffer.allocUnsafeSlow(size >> 1);
  let written = 0;
  /** A digit whose other half comes in the next piece. */
  let half = "";
  for (const [number, piece] of pieces.entries()) {
    const from = number === 0 ? BEFORE_TEXT.length : 0;
    const quote = piece.indexOf(QUOTE, from);
    const digits = half + piece.toString("latin1", from, quote === -1 ? piece.length : quote);
    const count = bytes.write(digits, written, "hex"); // stops at what is no pair of digits
    if (count !== digits.length >> 1) return undefined;
    written += count;
    half = digits.slice(2 * count);
    if (quote === -1) continue;
    if (half !== "" || 2 * written < LONG_DIGITS) return undefined;
    return withResult(bytes.subarray(0, written), piece.subarray(quote), ...pieces.slice(number + 1));
  }
  return undefined;
}

/** `rest`: what stands behind the digits, from their closing quote on. */
function withResult(result: Buffer, ...rest: readonly Buffer[]): object | undefined {
  const others = JSON.parse(BEFORE_TEXT + Buffer.concat(rest).toString("utf8")) as { result: unknown };
  // Told twice: the last one would count.
  return others.result === "" ? { ...others, result } : undefined;
}
