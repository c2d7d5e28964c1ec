import type { EntityManager } from "typeorm";
import { decodeTx, type DecodedTx, parseOutpoint } from "../../domain/chain/decode-tx";
import type { ChainPort, BroadcastAnswer } from "../ports";
import type { ChainWatch } from "../server/watch";
import { ANCESTORS_MAX } from "./remember-ancestors";
import { readAncestorsOf } from "./payment-queries";

/**
 * Broadcasts a payment, and where the node lacks what it spends, its stored ancestors before it, the oldest first: a node
 * that has lost its mempool has lost them too. That inputs are missing is the network's answer only if every ancestor
 * was accepted or is in the chain.
 * @throws NodeUnavailableError
 */
export async function offerPayment(
  { ctx, chain }: ChainWatch,
  txid: string,
  rawTx: Buffer,
): Promise<BroadcastAnswer> {
  const answer = await chain.broadcast(rawTx);
  if (answer.outcome !== "refused" || answer.meaning !== "inputs-missing") return answer;
  const ancestors = await readAncestors(ctx.db.manager, txid);
  if (ancestors.txs.length === 0 && ancestors.complete) return answer;
  const unclear = await offerAncestors(chain, ancestors.txs);
  const again = await chain.broadcast(rawTx);
  if (again.outcome !== "refused" || again.meaning !== "inputs-missing") return again;
  const sure = ancestors.complete && !spendsOneOf(decodeTx(rawTx), unclear);
  return sure ? again : { ...again, meaning: "policy" };
}

/** Answers those whose fate the node does not tell. */
async function offerAncestors(chain: ChainPort, txs: readonly DecodedTx[]): Promise<Set<string>> {
  const unclear = new Set<string>();
  for (const tx of oldestFirst(txs)) {
    const answer = await chain.broadcast(tx.bytes);
    if (answer.outcome !== "refused" || answer.meaning === "void") continue;
    if (answer.meaning === "policy" || spendsOneOf(tx, unclear)) unclear.add(tx.txid);
  }
  return unclear;
}

function spendsOneOf({ inputs }: DecodedTx, txids: ReadonlySet<string>): boolean {
  return inputs.some(({ outpoint }) => txids.has(parseOutpoint(outpoint).txid));
}

/** Each after those that it spends. */
function oldestFirst(txs: readonly DecodedTx[]): DecodedTx[] {
  const byTxid = new Map(txs.map((tx) => [tx.txid, tx]));
  const ordered = new Set<DecodedTx>();
  const place = (tx: DecodedTx): void => {
    if (!byTxid.delete(tx.txid)) return;
    for (const { outpoint } of tx.inputs) {
      const parent = byTxid.get(parseOutpoint(outpoint).txid);
      if (parent !== undefined) place(parent);
    }
    ordered.add(tx);
  };
  for (const tx of txs) place(tx);
  return [...ordered];
}

/** `complete`: no ancestor is known whose bytes are not stored. */
async function readAncestors(
  manager: EntityManager,
  txid: string,
): Promise<{ txs: DecodedTx[]; complete: boolean }> {
  const { rows } = await readAncestorsOf(manager, txid, ANCESTORS_MAX);
  const txs = rows.flatMap(({ rawTx }) => (rawTx === null ? [] : [decodeTx(rawTx)]));
  return { txs, complete: txs.length === rows.length && rows.length < ANCESTORS_MAX };
}
