import { BLOCK_TIME_MARGIN_MS } from "./before-invoice";
import type { PaymentState } from "../invoice/status";

/** An output to a script of ours in a block. */
export interface ChainOutput {
  /** `txid:vout` */
  id: string;
  invoiceId: string;
  invoiceCreatedAt: Date;
  amountSats: bigint;
}

/** What a payment's row says of itself. */
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

/** One thing that the chain and the database say differently. */
export interface BookDifference {
  kind: (typeof DIFFERENCE_KINDS)[number];
  paymentId: string;
  invoiceId: string;
  /** Of the block that was compared; null for what the database has in no block. */
  height: number | null;
  /** Sats, decimal; null where one side has no such payment. */
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
 * A block's outputs to us against the payments' rows: `rows` are those of these outputs and those that claim to be in
 * a block of this height. A replaced or evicted row of an output that is in the chain is `not-counted`.
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

/** An unconfirmed row that the node has not in its mempool. */
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
  if (!row) {
    // Mined before the invoice was created: for an earlier use of the address.
    const foreign = output.invoiceCreatedAt.getTime() > minedAt.getTime() + BLOCK_TIME_MARGIN_MS;
    return foreign ? [] : [difference("not-in-database")];
  }
  const found: BookDifference[] = [];
  if (row.invoiceId !== output.invoiceId) found.push(difference("other-invoice"));
  if (row.amountSats !== output.amountSats) found.push(difference("other-amount"));
  if (row.blockHash !== hash || row.blockHeight !== height) found.push(difference("other-block"));
  if (row.state !== "pending" && row.state !== "confirmed") found.push(difference("not-counted"));
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

/** Whether they name the same. */
export function sameDifference(one: BookDifference, other: BookDifference): boolean {
  return one.kind === other.kind && one.paymentId === other.paymentId && one.height === other.height;
}
