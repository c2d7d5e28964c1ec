import type { CommandContext } from "../context";
import { decideHere, followDecidedHere } from "../invoices/decide-here";
import { decode, readCursor } from "./process-block";
import { lockBlock } from "./queries";
import { findMatches, recordTransactions } from "./record-transactions";
import { endSetAsideInBlock } from "./set-aside";

export interface ReadBlock {
  hash: string;
  height: number;
  raw: Buffer;
  /** Transactions; default: all. */
  only?: ReadonlySet<string>;
}

/** Null when chain-watch has processed another block at this height. */
export async function recordAgain(ctx: CommandContext, block: ReadBlock): Promise<number | null> {
  const { hash, height, raw, only } = block;
  const decoded = decode(raw, hash);
  const txs = only === undefined ? decoded.txs : decoded.txs.filter(({ txid }) => only.has(txid));
  const recorded = await ctx.db.transaction(async (manager) => {
    const [row] = (await lockBlock(manager, height)).rows;
    const cursor = await readCursor(manager);
    const takenAway = row === undefined && cursor !== null && height > cursor.height;
    if (takenAway || (row && row.hash !== hash)) return null;
    const minedAt = new Date(decoded.timeSeconds * 1_000);
    const hits = await findMatches(manager, txs);
    const found = await recordTransactions(manager, ctx, hits, { where: "block", minedAt, height, hash });
    await endSetAsideInBlock(manager, ctx, hash, only && [...only]);
    return { payments: found?.payments ?? 0, decided: await decideHere(manager, ctx, found) };
  });
  if (recorded === null) return null;
  await followDecidedHere(ctx, recorded.decided);
  return recorded.payments;
}
