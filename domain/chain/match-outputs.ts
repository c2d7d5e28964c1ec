import type { DecodedTx, TxInput, TxOutput } from "./decode-tx";
import { packKeys, type PackedKeys } from "./packed-keys";

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
  const scripts: Buffer[] = [];
  for (const tx of txs)
    for (const { scriptPubKey } of tx.outputs) if (couldBeOurs(scriptPubKey)) scripts.push(scriptPubKey);
  return packKeys(scripts);
}

/** By length and first byte one of the kinds that we derive. */
function couldBeOurs(script: Buffer): boolean {
  switch (script.length) {
    case 22: // p2wpkh
      return script[0] === 0x00;
    case 23: // p2sh
      return script[0] === 0xa9;
    case 25: // p2pkh
      return script[0] === 0x76;
    case 34: // p2tr
      return script[0] === 0x51;
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
  for (const tx of txs)
    for (const output of tx.outputs)
      for (const row of rows.of(output.scriptPubKey)) matches.push({ tx, output, watched: row });
  return matches;
}

/** The distinct outpoints that these transactions spend: what to look up among our payments' inputs, to find conflicts. */
export function outpointsToLookUp(txs: readonly DecodedTx[]): PackedKeys[] {
  const outpoints: Buffer[] = [];
  for (const tx of txs) if (!tx.coinbase) for (const { outpoint } of tx.inputs) outpoints.push(outpoint);
  return packKeys(outpoints);
}

/** The inputs that spend a watched outpoint. Several rows may name the same outpoint: each is a match. */
export function matchSpends<Watched extends { outpoint: Buffer }>(
  txs: readonly DecodedTx[],
  watched: readonly Watched[],
): SpendMatch<Watched>[] {
  const matches: SpendMatch<Watched>[] = [];
  if (watched.length === 0) return matches;
  const rows = new RowsByKey(watched, ({ outpoint }) => outpoint);
  for (const tx of txs)
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
      this.#tags.add(tagOf(key));
      const same = this.#rows.get(textOf(key));
      if (same === undefined) this.#rows.set(textOf(key), [row]);
      else same.push(row);
    }
  }

  of(key: Buffer): readonly Row[] {
    return this.#tags.has(tagOf(key)) ? (this.#rows.get(textOf(key)) ?? NONE) : NONE;
  }
}

/** Bytes 8 to 11: of a hash in scripts and outpoints, behind what many begin with. */
function tagOf(key: Buffer): number {
  return key.length < 12 ? 0 : key.readUInt32LE(8);
}

/** One character a byte: the cheapest key that a Map can have. */
function textOf(bytes: Buffer): string {
  return bytes.toString("latin1");
}
