import type { OutputMatch } from "../../domain/chain/match-outputs";
import { Payment } from "../../entities/payment";
import type { CommandContext } from "../context";
import { decideInvoices } from "../invoices/change-invoice";
import { decode, readCursor } from "./process-block";
import { lockBlock } from "./queries";
import type { WatchedOutput } from "./payment-queries";
import { findMatches, togetherOrEach } from "./record-transactions";
import { endSetAside } from "./set-aside";
import { raiseAlert } from "../server/raise-alert";
import { inTransaction, type Tx } from "../transaction";

export interface ReadBlock {
  hash: string;
  height: number;
  raw: Buffer;
  /** Transactions; default: all. */
  only?: ReadonlySet<string>;
  /** Alerts where it and the payments' rows differed: chain-watch has processed it before. */
  compare?: boolean;
}

/**
 * Records a block again, or only some transactions of it, also those that were set aside. Returns the payments that were
 * not known before; null when chain-watch has processed another block at this height.
 */
export async function recordAgain(ctx: CommandContext, block: ReadBlock): Promise<number | null> {
  const { hash, height, raw, only, compare = false } = block;
  const decoded = decode(raw, hash);
  const txs = only === undefined ? decoded.txs : decoded.txs.filter(({ txid }) => only.has(txid));
  const sighting = { where: "block", minedAt: new Date(decoded.timeSeconds * 1_000), height, hash } as const;
  return togetherOrEach((record) =>
    inTransaction(ctx, async (tx) => {
      const { manager } = tx;
      const [row] = (await lockBlock(manager, height)).rows;
      const cursor = await readCursor(manager);
      const takenAway = row === undefined && cursor !== null && height > cursor.height;
      if (takenAway || (row && row.hash !== hash)) return null;
      const hits = await findMatches(manager, txs);
      const found = await record(tx, hits, sighting);
      const failed = new Set(found?.failed);
      const rest = txs.map(({ txid }) => txid).filter((txid) => !failed.has(txid));
      await endSetAside(tx, rest);
      await decideInvoices(tx, found?.invoiceIds ?? []);
      const payments = found?.payments ?? 0;
      if (compare) await alertDifferences(tx, { height, missed: payments, paid: hits.paid });
      return payments;
    }),
  );
}

const NAMED_MAX = 10;

/** `missed`: until now. What a row has beside the block stays as it is: something else wrote it. */
async function alertDifferences(
  tx: Tx,
  { height, missed, paid }: { height: number; missed: number; paid: readonly OutputMatch<WatchedOutput>[] },
): Promise<void> {
  const outputs = new Map(
    paid.map(({ tx: { txid }, output, watched }) => [
      `${txid}:${output.vout}`,
      `${watched.invoiceId} ${output.valueSats}`,
    ]),
  );
  const rows = await tx.manager.findBy(Payment, { blockHeight: height });
  const wrong = rows.filter(
    ({ id, invoiceId, amountSats }) => outputs.get(id) !== `${invoiceId} ${amountSats}`,
  );
  if (missed === 0 && wrong.length === 0) return;
  const named = wrong.slice(0, NAMED_MAX).map(({ id, invoiceId }) => `${id} of invoice ${invoiceId}`);
  await raiseAlert(tx, {
    kind: "books-differ",
    severity: "critical",
    subject: `block ${height}`,
    message: `Block ${height} and the database differed. Payments that had not been recorded, and are now: ${missed}. Payments in the database that the block does not have like this: ${named.join(", ") || "none"}${wrong.length > NAMED_MAX ? `, and ${wrong.length - NAMED_MAX} more` : ""}.`,
  });
}
