import type { CommandContext } from "../context";
import { decideInvoices } from "../invoices/change-invoice";
import { decode, readCursor } from "./process-block";
import { lockBlock } from "./queries";
import { findMatches, togetherOrEach } from "./record-transactions";
import { endSetAside } from "./set-aside";
import { inTransaction } from "../transaction";

export interface ReadBlock {
  hash: string;
  height: number;
  raw: Buffer;
  /** Transactions; default: all. */
  only?: ReadonlySet<string>;
}

/**
 * Records a block again, or only some transactions of it, also those that were set aside. Returns the payments that were
 * not known before; null when chain-watch has processed another block at this height.
 */
export async function recordAgain(ctx: CommandContext, block: ReadBlock): Promise<number | null> {
  const { hash, height, raw, only } = block;
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
      const found = await record(tx, await findMatches(manager, txs), sighting);
      const failed = new Set(found?.failed);
      const rest = txs.map(({ txid }) => txid).filter((txid) => !failed.has(txid));
      await endSetAside(tx, rest);
      await decideInvoices(tx, found?.invoiceIds ?? []);
      return found?.payments ?? 0;
    }),
  );
}
