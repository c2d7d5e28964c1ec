import type { DecodedTx, TxInput, TxOutput, Visit } from "./decode-tx";
import { KeyPile, type PackedKeys } from "./packed-keys";

export interface OutputMatch<Watched> {
  tx: DecodedTx;
  output: TxOutput;
  watched: Watched;
}

export interface SpendMatch<Watched> {
  tx: DecodedTx;
  input: TxInput;
  watched: Watched;
}

/** The distinct scripts that these transactions pay and that could be ours: what to look up. */
export function scriptsToLookUp(txs: readonly DecodedTx[]): PackedKeys[] {
  const scripts = new KeyPile();
  for (const tx of txs)
    tx.eachScript((bytes, at, length) => {
      if (couldBeOurs(bytes[at], length)) scripts.add(bytes, at, length);
    });
  return scripts.pack();
}

/** By length and first byte one of the kinds that we derive. */
function couldBeOurs(first: number | undefined, length: number): boolean {
  switch (length) {
    case 22: // p2wpkh
      return first === 0x00;
    case 23: // p2sh
      return first === 0xa9;
    case 25: // p2pkh
      return first === 0x76;
    case 34: // p2tr
      return first === 0x51;
    default:
      return false;
  }
}

/** The outputs that pay a watched script, in the transactions' order. `watched` is what the look-up found. */
export function matchOutputs<Watched extends { scriptPubKey: Buffer }>(
  txs: readonly DecodedTx[],
  watched: readonly Watched[],
): OutputMatch<Watched>[] {
  const matches: OutputMatch<Watched>[] = [];
  if (watched.length === 0) return matches;
  const rows = new RowsByKey(watched, ({ scriptPubKey }) => scriptPubKey);
  for (const tx of rows.among(txs, (tx, visit) => tx.eachScript(visit)))
    for (const output of tx.outputs)
      for (const row of rows.of(output.scriptPubKey)) matches.push({ tx, output, watched: row });
  return matches;
}

/** The distinct outpoints that these transactions spend: what to look up among our payments' inputs, to find conflicts. */
export function outpointsToLookUp(txs: readonly DecodedTx[]): PackedKeys[] {
  const outpoints = new KeyPile();
  for (const tx of txs)
    if (!tx.coinbase) tx.eachOutpoint((bytes, at, length) => outpoints.add(bytes, at, length));
  return outpoints.pack();
}

/** The inputs that spend a watched outpoint. Several rows may name the same outpoint: each is a match. */
export function matchSpends<Watched extends { outpoint: Buffer }>(
  txs: readonly DecodedTx[],
  watched: readonly Watched[],
): SpendMatch<Watched>[] {
  const matches: SpendMatch<Watched>[] = [];
  if (watched.length === 0) return matches;
  const rows = new RowsByKey(watched, ({ outpoint }) => outpoint);
  for (const tx of rows.among(txs, (tx, visit) => tx.eachOutpoint(visit)))
    for (const input of tx.inputs)
      for (const row of rows.of(input.outpoint)) matches.push({ tx, input, watched: row });
  return matches;
}

const NONE: readonly never[] = [];

/** Of thousands of keys nearly all are those of no row, which four bytes tell without a text for each. */
class RowsByKey<Row> {
  readonly #tags = new Set<number>();
  readonly #rows = new Map<string, Row[]>();

  constructor(rows: readonly Row[], keyOf: (row: Row) => Buffer) {
    for (const row of rows) {
      const key = keyOf(row);
      this.#tags.add(tagOf(key, 0, key.length));
      const same = this.#rows.get(textOf(key));
      if (same === undefined) this.#rows.set(textOf(key), [row]);
      else same.push(row);
    }
  }

  /** The transactions with a key that may be a row's: of which the keys are worth being made. */
  among(txs: readonly DecodedTx[], each: (tx: DecodedTx, visit: Visit) => void): DecodedTx[] {
    let found = false;
    const look: Visit = (bytes, at, length) => {
      found ||= this.#tags.has(tagOf(bytes, at, length));
    };
    return txs.filter((tx) => {
      found = false;
      each(tx, look);
      return found;
    });
  }

  of(key: Buffer): readonly Row[] {
    return this.#rows.get(textOf(key)) ?? NONE;
  }
}

/** Bytes 8 to 11: of a hash in scripts and outpoints, behind what many begin with. */
function tagOf(bytes: Buffer, at: number, length: number): number {
  return length < 12 ? 0 : bytes.readUInt32LE(at + 8);
}

/** One character a byte: the cheapest key that a Map can have. */
function textOf(bytes: Buffer): string {
  return bytes.toString("latin1");
}
