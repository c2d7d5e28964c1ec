import { setTimeout as sleep } from "node:timers/promises";
import { IsNull, Like } from "typeorm";
import { DomainError, invalidField } from "../domain/errors";
import { Alert } from "../entities/alert";
import type { ChainBlock } from "../entities/chain-block";
import { whyNotUsable } from "./check-chain";
import type { CommandContext } from "./context";
import { prunedSubject } from "./follow-chain";
import type { ChainPort } from "./ports";
import { bury, BURIED_DEPTH, decode, readCursor } from "./process-block";
import { resolveAlert } from "./raise-alert";
import { recordTransactions } from "./record-transactions";

export interface Rescanned {
  fromHeight: number;
  /** The last block that chain-watch had processed; later ones are its own. */
  toHeight: number;
  /** Payments that were not known before. */
  payments: number;
}

const PROGRESS_BLOCKS = 100;
const REORGANISED_RETRY_MS = 1_000;
const REORGANISED_RETRIES = 60;

/**
 * Reads blocks again that were processed (or skipped) before, a transaction each. Finds again what is known, so it is
 * safe at any time, any number of times, and beside a running chain-watch.
 * @throws DomainError `validation-failed`; `unavailable` without a node, or where it has pruned a block.
 * @throws NodeUnavailableError
 */
export async function rescanChain(ctx: CommandContext, fromHeight: number): Promise<Rescanned> {
  const { chain } = ctx;
  if (chain === null) throw new DomainError("unavailable", "BITCOIND_RPC_URL is not set.");
  const info = await chain.info();
  const problem = await whyNotUsable(ctx, chain, info);
  if (problem !== null) throw new DomainError("unavailable", problem);
  const toHeight = await lastProcessed(ctx, fromHeight, info.blocks);
  if (!Number.isInteger(fromHeight) || fromHeight < 0 || fromHeight > toHeight)
    throw invalidField(
      "/fromHeight",
      `Must be a height from 0 to ${toHeight}, the last block that was processed.`,
    );
  let payments = 0;
  for (let height = fromHeight; height <= toHeight; height += 1) {
    payments += await rescanBlock(ctx, chain, height, toHeight);
    if ((height - fromHeight + 1) % PROGRESS_BLOCKS === 0)
      ctx.log.info({ height, toHeight, payments }, "reading blocks again");
  }
  await closePrunedAlerts(ctx, fromHeight, toHeight);
  await ctx.enqueue("confirmations", [{ height: toHeight }]);
  return { fromHeight, toHeight, payments };
}

/** Of a height that the node has, chain-watch may just be short: it walks back and forth over a reorganisation. */
async function lastProcessed(ctx: CommandContext, fromHeight: number, tip: number): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const last = (await readCursor(ctx.db.manager))?.height ?? tip;
    const comes = fromHeight > last && fromHeight <= tip;
    if (!comes || tries === REORGANISED_RETRIES) return last;
    await sleep(REORGANISED_RETRY_MS);
  }
}

async function rescanBlock(
  ctx: CommandContext,
  chain: ChainPort,
  height: number,
  toHeight: number,
): Promise<number> {
  for (let tries = 0; tries < REORGANISED_RETRIES; tries += 1) {
    const hash = await chain.blockHash(height);
    const raw = hash === null ? null : await chain.rawBlock(hash);
    if (hash !== null && raw === null)
      throw new DomainError("unavailable", `The node does not have block ${height}: it was pruned.`);
    const payments =
      hash === null || raw === null ? null : await record(ctx, { hash, height, raw, toHeight });
    if (payments !== null) return payments;
    // A reorganisation that chain-watch has not followed yet.
    await sleep(REORGANISED_RETRY_MS);
  }
  throw new DomainError("unavailable", `The node and chain-watch do not agree about block ${height}.`);
}

/** Null when chain-watch has processed another block at this height. */
async function record(
  ctx: CommandContext,
  { hash, height, raw, toHeight }: { hash: string; height: number; raw: Buffer; toHeight: number },
): Promise<number | null> {
  const decoded = decode(raw, hash);
  const recorded = await ctx.db.transaction(async (manager) => {
    // KEY SHARE: chain-watch cannot take the block away while we write what is in it.
    const [row] = await manager.query<ChainBlock[]>(
      `SELECT hash FROM chain_blocks WHERE height = $1 FOR KEY SHARE`,
      [height],
    );
    const cursor = await readCursor(manager);
    const takenAway = row === undefined && cursor !== null && height > cursor.height;
    if (takenAway || (row && row.hash !== hash)) return null;
    const minedAt = new Date(decoded.timeSeconds * 1_000);
    const evidence = { where: "block", now: await ctx.now(manager), minedAt, height, hash } as const;
    const found = await recordTransactions(manager, ctx, decoded.txs, evidence, decoded.scripts);
    if (height <= toHeight - BURIED_DEPTH) await bury(manager, hash);
    return found;
  });
  if (recorded === null) return null;
  await ctx.enqueue(
    "invoices",
    recorded.invoiceIds.map((invoiceId) => ({ invoiceId })),
  );
  return recorded.payments;
}

/** Holes that were read now are none any more. */
async function closePrunedAlerts(ctx: CommandContext, fromHeight: number, toHeight: number): Promise<void> {
  const open = await ctx.db.manager.findBy(Alert, {
    kind: "node-behind",
    subject: Like("pruned %"),
    resolvedAt: IsNull(),
  });
  for (const { subject } of open) {
    const [from = -1, to = -1] = (/^pruned (\d+)-(\d+)$/.exec(subject) ?? []).slice(1).map(Number);
    if (subject === prunedSubject(from, to) && from >= fromHeight && to <= toHeight)
      await resolveAlert(ctx.db.manager, ctx, "node-behind", subject);
  }
}
