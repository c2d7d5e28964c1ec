import type { DecodedTx, TxInput, TxOutput } from "./decode-tx";

/** Lengths of the scripts that we derive: p2wpkh, p2sh, p2pkh and p2tr. Others cannot be ours. */
const OUR_SCRIPT_LENGTHS: readonly number[] = [22, 23, 25, 34];

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

/** The distinct scripts that these transactions pay and that could be ours, in order: what to look up, in one query. */
export function scriptsToLookUp(txs: readonly DecodedTx[]): Buffer[] {
  const scripts = new Map<string, Buffer>();
  for (const tx of txs) {
    for (const { scriptPubKey } of tx.outputs) {
      if (OUR_SCRIPT_LENGTHS.includes(scriptPubKey.length)) scripts.set(keyOf(scriptPubKey), scriptPubKey);
    }
  }
  return inOrder(scripts);
}

/** The outputs that pay a watched script, in the transactions' order. `watched` is what the look-up found. */
export function matchOutputs<Watched extends { scriptPubKey: Buffer }>(
  txs: readonly DecodedTx[],
  watched: readonly Watched[],
): OutputMatch<Watched>[] {
  if (watched.length === 0) return [];
  const byScript = new Map(watched.map((row) => [keyOf(row.scriptPubKey), row]));
  return txs.flatMap((tx) =>
    tx.outputs.flatMap((output) => {
      const row = byScript.get(keyOf(output.scriptPubKey));
      return row === undefined ? [] : [{ tx, output, watched: row }];
    }),
  );
}

/** The distinct outpoints that these transactions spend, in order: what to look up among our payments' inputs, to find conflicts. */
export function outpointsToLookUp(txs: readonly DecodedTx[]): Buffer[] {
  const outpoints = new Map<string, Buffer>();
  for (const tx of txs)
    if (!tx.coinbase) for (const { outpoint } of tx.inputs) outpoints.set(keyOf(outpoint), outpoint);
  return inOrder(outpoints);
}

/** The inputs that spend a watched outpoint. Several rows may name the same outpoint: each is a match. */
export function matchSpends<Watched extends { outpoint: Buffer }>(
  txs: readonly DecodedTx[],
  watched: readonly Watched[],
): SpendMatch<Watched>[] {
  if (watched.length === 0) return [];
  const byOutpoint = new Map<string, Watched[]>();
  for (const row of watched) {
    const key = keyOf(row.outpoint);
    byOutpoint.set(key, [...(byOutpoint.get(key) ?? []), row]);
  }
  return txs.flatMap((tx) =>
    tx.inputs.flatMap((input) =>
      (byOutpoint.get(keyOf(input.outpoint)) ?? []).map((row) => ({ tx, input, watched: row })),
    ),
  );
}

/** As an index has them. Thousands that come unsorted Postgres sorts itself, which takes longer than to find them. */
function inOrder(keys: ReadonlyMap<string, Buffer>): Buffer[] {
  return [...keys.keys()].sort().map((key) => keys.get(key) as Buffer);
}

/** One character a byte: the cheapest key that a Map can have. */
function keyOf(bytes: Buffer): string {
  return bytes.toString("latin1");
}
