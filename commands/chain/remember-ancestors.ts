import type { EntityManager } from "typeorm";
import type { DecodedBlock } from "../../domain/chain/decode-block";
import { type DecodedTx, parseOutpoint } from "../../domain/chain/decode-tx";
import { insertNewRows } from "../../database/insert-together";
import { PaymentAncestor } from "../../entities/payment-ancestor";
import { PaymentInput } from "../../entities/payment-input";
import { groupBy } from "../../domain/group-by";
import type { CommandContext } from "../context";
import { readSpendsOf } from "./payment-queries";

/**
 * Stored ancestors of one payment. Nodes relay at most 25 to 64 unconfirmed ones, of 101 kvB together, but a node
 * may be configured to accept more, and a block may hold any number. Beyond this limit the nearest are kept; a
 * double spend of the others is found by its effect (domain/chain/refused-payment).
 */
export const ANCESTORS_MAX = 100;
const ANCESTOR_INPUTS_MAX = 3_000;
/** Above what nodes relay of one payment's ancestors: those of an undone block may be larger. */
const ANCESTOR_BYTES_MAX = 1_000_000;

/**
 * Stores transactions that a payment depends on and that are in no block with it: a node that lost them must get them
 * before the payment, and spending one of their inputs elsewhere makes it vanish. `ancestors`: the nearest first.
 */
export async function rememberAncestors(
  manager: EntityManager,
  ctx: CommandContext,
  txid: string,
  ancestors: readonly DecodedTx[],
): Promise<void> {
  const nearest = ancestors.slice(0, ANCESTORS_MAX).filter(({ coinbase }) => !coinbase);
  const inputs = nearest.flatMap((tx) =>
    tx.inputs.map(({ outpoint }) => ({ outpoint, txid, ancestorTxid: tx.txid })),
  );
  if (ancestors.length > ANCESTORS_MAX || inputs.length > ANCESTOR_INPUTS_MAX)
    ctx.log.warn(
      { txid, ancestors: ancestors.length, inputs: inputs.length },
      "chain: payment has too many ancestors to store",
    );
  if (inputs.length === 0) return;
  await insertNewRows(manager, { into: PaymentInput, rows: inputs.slice(0, ANCESTOR_INPUTS_MAX) });
  let room = ANCESTOR_BYTES_MAX;
  const kept = nearest.filter(({ bytes }) => (room -= bytes.length) >= 0);
  if (kept.length === 0) return;
  const rows = kept.map((tx) => ({ txid, ancestorTxid: tx.txid, rawTx: tx.bytes }));
  await insertNewRows(manager, { into: PaymentAncestor, rows });
}

/** Stores the transactions of an undone block that unconfirmed payments spend, directly or indirectly. */
export async function rememberUndone(
  manager: EntityManager,
  ctx: CommandContext,
  block: DecodedBlock,
): Promise<void> {
  const inBlock = new Map(block.txs.map((tx) => [tx.txid, tx]));
  const inOutpoints = [...inBlock.keys()].map((txid) => Buffer.from(txid, "hex").reverse());
  const { rows: spent } = await readSpendsOf(manager, inOutpoints);
  for (const [txid, spends] of groupBy(spent, (one) => one.txid)) {
    const parents = spends.flatMap(({ outpoint }) => inBlock.get(parseOutpoint(outpoint).txid) ?? []);
    await rememberAncestors(manager, ctx, txid, withAncestors(parents, inBlock));
  }
}

/** The transactions and those among `inBlock` that they spend, the nearest first; somewhat more than can be stored. */
function withAncestors(parents: readonly DecodedTx[], inBlock: ReadonlyMap<string, DecodedTx>): DecodedTx[] {
  const found = new Set(parents);
  // A set iterates in insertion order, including elements that are added meanwhile.
  for (const tx of found) {
    if (found.size > ANCESTORS_MAX) break;
    for (const { outpoint } of tx.inputs) {
      const parent = inBlock.get(parseOutpoint(outpoint).txid);
      if (parent) found.add(parent);
    }
  }
  return [...found];
}
