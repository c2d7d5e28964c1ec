/** Below this there is nothing to gain. */
const LONG_DIGITS = 65_536;
const BEFORE_TEXT = '{"result":"';
const QUOTE = 0x22;
const NO_DIGIT = 16;

/** What an ASCII character is worth as a hexadecimal digit. */
const WORTH = Uint8Array.from({ length: 256 }, (_, code) => {
  const worth = parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(worth) ? NO_DIGIT : worth;
});

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
  let high = NO_DIGIT;
  for (const [number, piece] of pieces.entries()) {
    let at = number === 0 ? BEFORE_TEXT.length : 0;
    // A digit whose other half came in the next piece.
    if (high !== NO_DIGIT && at < piece.length) {
      const low = WORTH[piece[at] as number] as number;
      if (low === NO_DIGIT) return undefined;
      bytes[written] = (high << 4) | low;
      written += 1;
      at += 1;
      high = NO_DIGIT;
    }
    for (; at + 1 < piece.length; at += 2) {
      const one = WORTH[piece[at] as number] as number;
      const other = WORTH[piece[at + 1] as number] as number;
      if ((one | other) >= NO_DIGIT) break;
      bytes[written] = (one << 4) | other;
      written += 1;
    }
    if (piece[at] === QUOTE && 2 * written >= LONG_DIGITS)
      return withResult(bytes.subarray(0, written), piece.subarray(at), ...pieces.slice(number + 1));
    if (at + 1 < piece.length) return undefined;
    if (at === piece.length) continue;
    high = WORTH[piece[at] as number] as number;
    if (high === NO_DIGIT) return undefined;
  }
  return undefined;
}

/** `rest`: what stands behind the digits, from their closing quote on. */
function withResult(result: Buffer, ...rest: readonly Buffer[]): object | undefined {
  const others = JSON.parse(BEFORE_TEXT + Buffer.concat(rest).toString("utf8")) as { result: unknown };
  // Told twice: the last one would count.
  return others.result === "" ? { ...others, result } : undefined;
}
