export type ExportFormat = "csv" | "json";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const OPENING = [0x7b, 0x5b]; // { [
const CLOSING = [0x7d, 0x5d]; // } ]
const AROUND_INVOICES = 2;

/** Piece by piece: returns how many are complete so far. */
export const countRows = (format: ExportFormat): ((piece: Uint8Array) => number) =>
  format === "csv" ? countLines() : countObjects();

/** Without the columns' names; a line feed between quotes is none (a quote in a cell is doubled). */
function countLines(): (piece: Uint8Array) => number {
  let quoted = false;
  let lines = 0;
  return (piece) => {
    for (const byte of piece) {
      if (byte === QUOTE) quoted = !quoted;
      else if (byte === LINE_FEED && !quoted) lines += 1;
    }
    return Math.max(0, lines - 1);
  };
}

function countObjects(): (piece: Uint8Array) => number {
  let depth = 0;
  let quoted = false;
  let escaped = false;
  let objects = 0;
  return (piece) => {
    for (const byte of piece) {
      if (escaped) escaped = false;
      else if (quoted && byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) quoted = !quoted;
      else if (quoted) continue;
      else if (OPENING.includes(byte)) depth += 1;
      else if (CLOSING.includes(byte)) {
        depth -= 1;
        if (depth === AROUND_INVOICES) objects += 1;
      }
    }
    return objects;
  };
}
