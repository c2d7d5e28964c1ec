import { groupBy } from "../group-by";
import type { TxOutput } from "./decode-tx";
import { isDust } from "./dust";

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
