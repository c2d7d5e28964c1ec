import type { EntityManager } from "typeorm";
import type { DecodedTx } from "../../domain/chain/decode-tx";
import { insertNewRows } from "../../database/insert-rows";
import { pipelined } from "../../database/pipelined";
import { PaymentInput } from "../../entities/payment-input";
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
  for (let from = 0; from < inputs.length; from += INPUTS_A_STATEMENT)
    await insertNewRows(manager, {
      into: PaymentInput,
      rows: inputs.slice(from, from + INPUTS_A_STATEMENT),
    });
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
