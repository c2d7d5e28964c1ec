import { In } from "typeorm";
import { NodeUnavailableError } from "../../domain/errors";
import { Bolt11 } from "../../entities/bolt11";
import type { CommandContext } from "../context";
import { isItemFailure } from "../../database/item-failure";
import { noteFailure } from "../chain/set-aside";
import { type OrphanBolt11, readBare, readForsaken, readUnfinished } from "./queries";
import { syncLightningInvoices } from "./sync-lightning-invoices";
import type { LightningWatch } from "../server/watch";

/** Invoices processed at a time; each needs one or two calls of LND. */
const CONCURRENCY = 20;

export interface Sweep {
  /** The node to be called. Null if its identity is unknown: then it is asked about all invoices. */
  nodeKey: string | null;
  /** `pressing`: only BOLT11s that wait for an answer of LND, or whose time is up. */
  of: "all" | "pressing";
  signal: AbortSignal;
}

/**
 * Brings the BOLT11s into their planned state, and records what was paid meanwhile: streams may lose events, LND's
 * invoices do not. When it resolves, and was not aborted, everything that had settled before it began is recorded.
 * An invoice that fails for a reason of its own is logged and does not delay the others.
 * @throws NodeUnavailableError
 */
export async function sweepLightning(watch: LightningWatch, sweep: Sweep): Promise<void> {
  const { ctx } = watch;
  const { manager } = ctx.db;
  const forsaken = await readForsaken(manager, await ctx.now(manager));
  const tasks = [
    ...forsaken.rows.map((row) => () => cancelForsaken(watch, row, sweep)),
    ...(await invoicesToSync(ctx, sweep)).map((id) => () => syncOne(ctx, id)),
  ];
  const left = tasks.values();
  let failed: unknown = null;
  let refused: unknown = null;
  const work = async (): Promise<void> => {
    for (const task of left) {
      if (sweep.signal.aborted || failed !== null) return;
      try {
        await task();
      } catch (error) {
        if (!(error instanceof NodeUnavailableError) || error.fault === "malformed")
          failed ??= await outageOf(watch, error);
        // A call that the macaroon forbids says nothing about the other calls.
        else if (error.fault === "forbidden") refused ??= error;
        else failed ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (failed ?? refused) throw failed ?? refused;
}

/**
 * An invoice whose payment cannot be recorded, or that cannot be decided, is finally set aside. Full sweeps keep
 * trying.
 */
async function syncOne(ctx: CommandContext, invoiceId: string): Promise<void> {
  try {
    await syncLightningInvoices(ctx, invoiceId);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    await noteFailure(ctx, { kind: "invoice", subject: invoiceId }, error);
  }
}

/** Null if database and node answer otherwise: then only this invoice fails to sync. */
async function outageOf({ ctx, lightning }: LightningWatch, error: unknown): Promise<unknown> {
  try {
    await ctx.now(ctx.db.manager);
    if (error instanceof NodeUnavailableError) await lightning.info();
  } catch {
    return error;
  }
  ctx.log.error({ err: error }, "lightning: BOLT11s of an invoice not synced");
  return null;
}

/** The most urgent first. */
async function invoicesToSync(ctx: CommandContext, { nodeKey, of }: Sweep): Promise<string[]> {
  const { manager } = ctx.db;
  const now = await ctx.now(manager);
  const unfinished = await readUnfinished(manager, nodeKey, of === "all", now);
  const bare = of === "pressing" ? [] : (await readBare(manager, now)).rows;
  return [...unfinished.rows, ...bare].map(({ id }) => id);
}

/** The row is changed first, so that a creation that continues so late sees it. */
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
