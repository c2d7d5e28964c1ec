import type { EntityManager } from "typeorm";
import type { DecodedBlock } from "../../domain/chain/decode-block";
import { decodeTx, type DecodedTx, parseOutpoint } from "../../domain/chain/decode-tx";
import { insertNewRows, slices } from "../../database/insert-rows";
import { PaymentInput } from "../../entities/payment-input";
import { groupBy } from "../../domain/group-by";
import type { BroadcastAnswer, ChainPort } from "../ports";
import type { ChainWatch } from "./chain-watch";
import { readAncestorsOf, readSpendsOf } from "./payment-queries";
import type { Tx } from "../transaction";
import { pipelined } from "../../database/pipelined";
import { PaymentTransaction } from "../../entities/payment-transaction";

/** Bytes of raw transactions per statement; a larger transaction has a statement of its own. */
const BYTES_A_STATEMENT = 1_000_000;
/** Outpoints in one statement. */
const INPUTS_A_STATEMENT = 10_000;

/**
 * Stores what is needed to follow a payment while it may still vanish: the raw transaction, once however many
 * outputs pay us, and what it spends. Storing it again changes nothing.
 */
export async function keepTransactions(manager: EntityManager, txs: readonly DecodedTx[]): Promise<void> {
  const inputs = txs.flatMap((tx) =>
    tx.coinbase ? [] : tx.inputs.map(({ outpoint }) => ({ outpoint, txid: tx.txid })),
  );
  await pipelined(keepBytes(manager, txs), keepInputs(manager, inputs));
}

async function keepInputs(manager: EntityManager, inputs: readonly object[]): Promise<void> {
  await pipelined(
    ...slices(inputs, INPUTS_A_STATEMENT).map((rows) => insertNewRows(manager, { into: PaymentInput, rows })),
  );
}

/** Each transaction once, however many payments need it. */
export async function keepBytes(manager: EntityManager, txs: readonly DecodedTx[]): Promise<void> {
  for (const batch of batchesOf(txs))
    await insertNewRows(manager, {
      into: PaymentTransaction,
      rows: batch.map(({ txid, bytes }) => ({ txid, rawTx: bytes })),
    });
}

function batchesOf(txs: readonly DecodedTx[]): DecodedTx[][] {
  const batches: DecodedTx[][] = [];
  let room = 0;
  for (const tx of txs) {
    if (tx.bytes.length > room) {
      batches.push([]);
      room = BYTES_A_STATEMENT;
    }
    batches.at(-1)?.push(tx);
    room -= tx.bytes.length;
  }
  return batches;
}

/** Null if it is no longer stored. */
export async function readRawTransaction(manager: EntityManager, txid: string): Promise<Buffer | null> {
  return (await manager.findOneBy(PaymentTransaction, { txid }))?.rawTx ?? null;
}

/**
 * Nodes relay at most 64 unconfirmed ones, but a block may hold any number. A double spend of further ancestors is
 * found by its effect (domain/chain/refused-payment).
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
  tx: Tx,
  txid: string,
  ancestors: readonly DecodedTx[],
): Promise<void> {
  const nearest = ancestors.slice(0, ANCESTORS_MAX).filter(({ coinbase }) => !coinbase);
  const inputs = nearest.flatMap((tx) =>
    tx.inputs.map(({ outpoint }) => ({ outpoint, txid, ancestorTxid: tx.txid })),
  );
  if (ancestors.length > ANCESTORS_MAX || inputs.length > ANCESTOR_INPUTS_MAX)
    tx.log.warn(
      { txid, ancestors: ancestors.length, inputs: inputs.length },
      "chain: payment has too many ancestors to store",
    );
  if (inputs.length === 0) return;
  let room = ANCESTOR_BYTES_MAX;
  await pipelined(
    insertNewRows(tx.manager, { into: PaymentInput, rows: inputs.slice(0, ANCESTOR_INPUTS_MAX) }),
    keepBytes(
      tx.manager,
      nearest.filter(({ bytes }) => (room -= bytes.length) >= 0),
    ),
  );
}

/** Stores the transactions of an undone block that unconfirmed payments spend, directly or indirectly. */
export async function rememberUndone(tx: Tx, block: DecodedBlock): Promise<void> {
  const inBlock = new Map(block.txs.map((tx) => [tx.txid, tx]));
  const inOutpoints = [...inBlock.keys()].map((txid) => Buffer.from(txid, "hex").reverse());
  const { rows: spent } = await readSpendsOf(tx.manager, inOutpoints);
  for (const [txid, spends] of groupBy(spent, (one) => one.txid)) {
    const parents = spends.flatMap(({ outpoint }) => inBlock.get(parseOutpoint(outpoint).txid) ?? []);
    await rememberAncestors(tx, txid, withAncestors(parents, inBlock));
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

/**
 * Broadcasts a payment, and where the node lacks what it spends, its stored ancestors before it, the oldest first: a node
 * that has lost its mempool has lost them too. That inputs are missing is the network's answer only if every ancestor
 * that is known was accepted or is in the chain.
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
  if (spendsOneOf(decodeTx(rawTx), unclear)) return { ...again, meaning: "policy" };
  return ancestors.complete ? again : { ...again, meaning: "ancestors-missing" };
}

/** Answers those whose fate is not known from that. */
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
  const inputs = rows.reduce((sum, row) => sum + row.inputs, 0);
  const all = rows.length < ANCESTORS_MAX && inputs < ANCESTOR_INPUTS_MAX;
  return { txs, complete: all && txs.length === rows.length };
}
