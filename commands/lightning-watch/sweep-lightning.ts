import { In } from "typeorm";
import { NodeUnavailableError } from "../../domain/errors";
import { Bolt11 } from "../../entities/bolt11";
import { isItemFailure } from "../../database/item-failure";
import { alertFailingInvoice, endFailingInvoices } from "../server/raise-alert";
import type { OpenBolt11, OrphanBolt11 } from "./queries";
import { readOpenPage, readUrgent } from "./shared-reads";
import { syncLightningInvoices } from "../invoices/sync-lightning-invoices";
import type { LightningWatch } from "../lightning/lightning-node";
import { LeaseLostError } from "../../database/lease";

const CONCURRENCY = 20;
const PAGE_SIZE = 1_000;

/** The last that was looked up, by expiry. Null: from the first. */
export type SweepPosition = OpenBolt11 | null;

export interface Sweep {
  /** Null: unknown, so it is asked about all invoices. */
  nodeKey: string | null;
  /** Beside the urgent ones: so many pages of the open ones. */
  lookUp?: { after: SweepPosition; pages: number; pageSize?: number | undefined };
  signal: AbortSignal;
}

/**
 * Brings BOLT11s into their planned state, and records payments: streams may lose events, LND's invoices do not. After
 * all pages, everything settled before the beginning is recorded. Returns where the look-ups continue. A failing
 * invoice is logged and delays no other.
 * @throws NodeUnavailableError
 */
export async function sweepLightning(watch: LightningWatch, sweep: Sweep): Promise<SweepPosition> {
  const { ctx } = watch;
  const { lookUp, signal } = sweep;
  const { nodeKey } = sweep;
  const work = new SweepWork(watch, signal);
  const asked = { nodeId: watch.node.id, nodeKey, more: lookUp !== undefined };
  const { now, forsaken, pressing } = await readUrgent(ctx, asked);
  await work.run([
    ...forsaken.map((row) => () => cancelForsaken(watch, row, sweep)),
    ...pressing.map((id) => () => syncOne(watch, id)),
  ]);
  let position: SweepPosition = lookUp?.after ?? null;
  for (let page = 0; page < (lookUp?.pages ?? 0) && !signal.aborted; page += 1) {
    position = await lookUpPage(watch, work, sweep, position ?? { expiresAt: now, paymentHash: "" });
    if (position === null) break;
  }
  if (work.refused !== null) throw work.refused;
  return position;
}

/**
 * Null after the last. Most are open in LND too: a call and no statement each, so that many invoices do not occupy the
 * database.
 */
async function lookUpPage(
  watch: LightningWatch,
  work: SweepWork,
  { nodeKey, lookUp }: Sweep,
  { expiresAt, paymentHash }: OpenBolt11,
): Promise<SweepPosition> {
  const pageSize = lookUp?.pageSize ?? PAGE_SIZE;
  const { ctx, lightning, node } = watch;
  const asked = { nodeId: node.id, nodeKey, expiresAt, paymentHash, rowsMax: pageSize };
  const rows = await readOpenPage(ctx, asked);
  await work.run(
    rows.map((row) => async () => {
      const found = await lightning.lookUpInvoice(row.paymentHash);
      if (found?.state !== "open") await syncOne(watch, row.invoiceId);
    }),
  );
  return rows.length < pageSize ? null : (rows.at(-1) ?? null);
}

class SweepWork {
  /** Forbidden by the macaroon: says nothing about the other calls, and is thrown at the end. */
  refused: NodeUnavailableError | null = null;

  constructor(
    private readonly watch: LightningWatch,
    private readonly signal: AbortSignal,
  ) {}

  /** Stops where the node, the database or the lease is away. @throws NodeUnavailableError, LeaseLostError */
  async run(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    const left = tasks.values();
    const outages: unknown[] = [];
    const work = async (): Promise<void> => {
      for (const task of left) {
        if (this.signal.aborted || outages.length > 0) return;
        try {
          await task();
        } catch (error) {
          if (await this.isOutage(error)) outages.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, tasks.length) }, work));
    if (outages.length > 0) throw outages[0];
  }

  /** False if all are there: only this invoice fails to sync. */
  private async isOutage(error: unknown): Promise<boolean> {
    const { ctx, lightning } = this.watch;
    if (error instanceof LeaseLostError) return true;
    if (error instanceof NodeUnavailableError && error.fault !== "malformed") {
      if (error.fault !== "forbidden") return true;
      this.refused ??= error;
      return false;
    }
    try {
      await ctx.now(ctx.db.manager);
      if (error instanceof NodeUnavailableError) await lightning.info();
    } catch {
      return true;
    }
    ctx.log.error({ err: error }, "lightning: BOLT11s of an invoice not synced");
    return false;
  }
}

/** An invoice that fails is tried again by the next sweeps. */
async function syncOne({ ctx, node }: LightningWatch, invoiceId: string): Promise<void> {
  try {
    await syncLightningInvoices(ctx, invoiceId, node.id);
    await endFailingInvoices(ctx, [invoiceId]);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    await alertFailingInvoice(ctx, invoiceId, error);
  }
}

/** First, so that a creation that continues so late sees it. */
async function cancelForsaken(
  { ctx, lightning }: LightningWatch,
  row: OrphanBolt11,
  sweep: Sweep,
): Promise<void> {
  const { paymentHash, nodeKey } = row;
  const unfinished = { paymentHash, state: In(["wanted", "open"]) };
  await ctx.db.manager.update(Bolt11, unfinished, { cancelWanted: true });
  const otherNode = nodeKey !== null && sweep.nodeKey !== null && nodeKey !== sweep.nodeKey;
  const answer = otherNode ? "unknown" : await lightning.cancelInvoice(paymentHash);
  if (answer === "accepted") return;
  if (answer === "settled") ctx.log.error({ paymentHash }, "lightning: BOLT11 without an invoice paid");
  await ctx.db.manager.update(Bolt11, unfinished, { state: answer === "settled" ? "settled" : "canceled" });
}
