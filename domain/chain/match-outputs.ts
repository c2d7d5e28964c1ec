import { groupBy } from "../group-by";
import type { DecodedTx, TxOutput } from "./decode-tx";
import { isDust } from "./dust";

export interface OutputMatch<Watched> {
  tx: DecodedTx;
  output: TxOutput;
  watched: Watched;
}

export interface SpendMatch<Watched> {
  tx: DecodedTx;
  watched: Watched;
}

/** The distinct scripts, as hex, that these transactions pay and that could be ours: what to look up. */
export function scriptsToLookUp(txs: readonly DecodedTx[]): string[] {
  const scripts = new Set<string>();
  for (const tx of txs)
    for (const { scriptPubKey } of tx.outputs)
      if (couldBeOurs(scriptPubKey)) scripts.add(scriptPubKey.toString("hex"));
  return [...scripts];
}

/** Whether length and first byte are those of a script type that we derive. */
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
  const rows = groupBy(watched, ({ scriptPubKey }) => scriptPubKey.toString("hex"));
  for (const tx of txs)
    for (const output of tx.outputs)
      for (const row of rows.get(output.scriptPubKey.toString("hex")) ?? [])
        matches.push({ tx, output, watched: row });
  return matches;
}

/** The distinct outpoints, as hex, that these transactions spend: what to look up among our payments' inputs, to find conflicts. */
export function outpointsToLookUp(txs: readonly DecodedTx[]): string[] {
  const outpoints = new Set<string>();
  for (const tx of txs)
    if (!tx.coinbase) for (const input of tx.inputs) outpoints.add(input.outpoint.toString("hex"));
  return [...outpoints];
}

/** The inputs that spend a watched outpoint. Several rows may name the same outpoint: each is a match. */
export function matchSpends<Watched extends { outpoint: Buffer }>(
  txs: readonly DecodedTx[],
  watched: readonly Watched[],
): SpendMatch<Watched>[] {
  const matches: SpendMatch<Watched>[] = [];
  if (watched.length === 0) return matches;
  const rows = groupBy(watched, ({ outpoint }) => outpoint.toString("hex"));
  for (const tx of txs)
    for (const input of tx.inputs)
      for (const row of rows.get(input.outpoint.toString("hex")) ?? []) matches.push({ tx, watched: row });
  return matches;
}

/** Which of our scripts the transactions pay, and whose coins they spend (match-outputs.ts). */
interface Matches<Tx> {
  paid: readonly { tx: Tx; output: TxOutput }[];
  spent: readonly { tx: Tx; watched: { txid: string } }[];
}

/**
 * The transactions that concern us, those first that take the most from what counts, less what they pay instead: what was
 * taken back must not count beside what another of them pays. What is recorded is in the mempool now, so their order in
 * time means nothing. `countedSats`: what counts of each transaction whose coins are spent.
 */
export function leastGainFirst<Tx>(
  { paid, spent }: Matches<Tx>,
  countedSats: ReadonlyMap<string, bigint>,
): Tx[] {
  const gains = new Map<Tx, bigint>();
  const gain = (tx: Tx, sats: bigint): void => void gains.set(tx, (gains.get(tx) ?? 0n) + sats);
  for (const { tx, output } of paid) gain(tx, isDust(output) ? 0n : output.valueSats);
  for (const [tx, some] of groupBy(spent, ({ tx }) => tx))
    for (const txid of new Set(some.map(({ watched }) => watched.txid)))
      gain(tx, -(countedSats.get(txid) ?? 0n));
  return [...gains].sort(([, a], [, b]) => (a < b ? -1 : Number(a > b))).map(([tx]) => tx);
}
