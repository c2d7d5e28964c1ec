import { isLive } from "./apply-transaction";
import { isMinedBefore } from "./before-invoice";
import type { PaymentState } from "../invoice/status";

/** An output to a script of ours in a block. */
export interface ChainOutput {
  /** `txid:vout` */
  id: string;
  invoiceId: string;
  invoiceCreatedAt: Date;
  amountSats: bigint;
}

/** The facts of a payment's row. */
export interface BookedPayment {
  id: string;
  invoiceId: string;
  amountSats: bigint;
  state: PaymentState;
  blockHeight: number | null;
  blockHash: string | null;
}

export const DIFFERENCE_KINDS = [
  "not-in-database",
  "not-in-block",
  "not-in-mempool",
  "other-amount",
  "other-block",
  "other-invoice",
  "not-counted",
] as const;

/** One difference between the chain and the database. */
export interface BookDifference {
  kind: (typeof DIFFERENCE_KINDS)[number];
  paymentId: string;
  invoiceId: string;
  /** The height of the compared block; null for a payment that the database has in no block. */
  height: number | null;
  /** Sats, decimal; null if that side has no such payment. */
  chainSats: string | null;
  databaseSats: string | null;
}

export interface BookedBlock {
  height: number;
  hash: string;
  minedAt: Date;
  outputs: readonly ChainOutput[];
}

/**
 * Compares a block's outputs to our scripts with the rows of payments: `rows` are those of these outputs and those
 * that name a block of this height. A replaced or evicted row of an output that is in the chain is `not-counted`.
 */
export function compareBlock(block: BookedBlock, rows: readonly BookedPayment[]): BookDifference[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const inBlock = new Set(block.outputs.map(({ id }) => id));
  const outputs = block.outputs.flatMap((output) => compareOutput(block, output, byId.get(output.id)));
  const invented = rows
    .filter(({ id, blockHeight }) => blockHeight === block.height && !inBlock.has(id))
    .map((row) => ({ ...ofRow(row, "not-in-block"), height: block.height }));
  return [...outputs, ...invented];
}

/** An unconfirmed row that is not in the node's mempool. */
export function missingInMempool(row: BookedPayment): BookDifference {
  return ofRow(row, "not-in-mempool");
}

function compareOutput(
  { height, hash, minedAt }: BookedBlock,
  output: ChainOutput,
  row: BookedPayment | undefined,
): BookDifference[] {
  const difference = (kind: BookDifference["kind"]): BookDifference => ({
    kind,
    paymentId: output.id,
    invoiceId: output.invoiceId,
    height,
    chainSats: String(output.amountSats),
    databaseSats: row ? String(row.amountSats) : null,
  });
  // Without a row: a payment for an earlier use of the address, if it was mined before the invoice was created.
  if (!row) return isMinedBefore(minedAt, output.invoiceCreatedAt) ? [] : [difference("not-in-database")];
  const found: BookDifference[] = [];
  if (row.invoiceId !== output.invoiceId) found.push(difference("other-invoice"));
  if (row.amountSats !== output.amountSats) found.push(difference("other-amount"));
  if (row.blockHash !== hash || row.blockHeight !== height) found.push(difference("other-block"));
  if (!isLive(row)) found.push(difference("not-counted"));
  return found;
}

function ofRow({ id, invoiceId, amountSats }: BookedPayment, kind: BookDifference["kind"]): BookDifference {
  return {
    kind,
    paymentId: id,
    invoiceId,
    height: null,
    chainSats: null,
    databaseSats: String(amountSats),
  };
}

/** Whether they are about the same payment. */
export function sameDifference(one: BookDifference, other: BookDifference): boolean {
  return one.kind === other.kind && one.paymentId === other.paymentId && one.height === other.height;
}
