import { In } from "typeorm";
import { NodeUnavailableError } from "../domain/errors";
import { Bolt11 } from "../entities/bolt11";
import type { CommandContext } from "./context";
import { tendLightning } from "./tend-lightning";
import type { LightningWatch } from "./watch";

/** Invoices at a time: each asks LND once or twice. */
const CONCURRENCY = 20;
/** A creation takes seconds; what has no invoice after this time never will. */
const FORSAKEN_AFTER_SECONDS = 60;

export interface Sweep {
  /** The node that is asked. Null where nothing shows which it is: then it is asked about all. */
  nodeKey: string | null;
  /** `pressing`: only what waits for an answer of LND, or whose time is up. */
  of: "all" | "pressing";
  signal: AbortSignal;
}

/**
 * Makes the BOLT11s what they should be, and records what was paid meanwhile: streams may lose, LND's invoices do not.
 * When it resolves, and was not aborted, what had settled before it began is recorded. One invoice that fails for a
 * reason of its own is logged and does not hold up the others.
 * @throws NodeUnavailableError
 */
export async function sweepLightning(watch: LightningWatch, sweep: Sweep): Promise<void> {
  const { ctx } = watch;
  const tasks = [
    ...(await forsaken(ctx)).map((row) => () => cancelForsaken(watch, row, sweep)),
    ...(await invoicesToTend(ctx, sweep)).map((id) => () => tendLightning(ctx, id)),
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
        // That the macaroon forbids one call says nothing of the others.
        else if (error.fault === "forbidden") refused ??= error;
        else failed ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (failed ?? refused) throw failed ?? refused;
}

/** Null where database and node answer otherwise: then this invoice alone cannot be tended. */
async function outageOf({ ctx, lightning }: LightningWatch, error: unknown): Promise<unknown> {
  try {
    await ctx.now(ctx.db.manager);
    if (error instanceof NodeUnavailableError) await lightning.info();
  } catch {
    return error;
  }
  ctx.log.error({ err: error }, "the BOLT11s of an invoice could not be tended");
  return null;
}

/**
 * The most pressing first. What the node has no room for is not pressing: it cannot be made now, however many wait for it.
 */
async function invoicesToTend(ctx: CommandContext, { nodeKey, of }: Sweep): Promise<string[]> {
  const now = await ctx.now(ctx.db.manager);
  const unfinished = await ctx.db.query<{ id: string }[]>(
    `SELECT b.invoice_id AS id FROM bolt11s b JOIN invoices i ON i.id = b.invoice_id
      WHERE b.state IN ('wanted', 'open') AND (b.node_key IS NULL OR $1::text IS NULL OR b.node_key = $1)
        AND ($2 OR b.cancel_wanted OR b.expires_at <= $3 OR b.state = 'wanted' AND b.amount_sats <=
          COALESCE((SELECT receivable_sats FROM rails WHERE type = 'BTC-LN'), b.amount_sats))
      GROUP BY b.invoice_id ORDER BY min(b.expires_at)`,
    [nodeKey, of === "all", now],
  );
  // Those that should have one: whoever changed the invoice died before it was asked for.
  const bare =
    of === "pressing"
      ? []
      : await ctx.db.query<{ id: string }[]>(
          `SELECT i.id FROM invoices i JOIN invoice_payment_methods m ON m.invoice_id = i.id AND m.type = 'BTC-LN'
            WHERE i.decide_at IS NOT NULL AND i.status = 'New' AND i.expires_at > $1
              AND NOT EXISTS (SELECT FROM bolt11s b WHERE b.invoice_id = i.id AND b.state IN ('wanted', 'open'))`,
          [now],
        );
  return [...unfinished, ...bare].map(({ id }) => id);
}

interface Forsaken {
  paymentHash: string;
  nodeKey: string | null;
}

/** Of creations that never came to an end. Nobody was given the text. */
async function forsaken(ctx: CommandContext): Promise<Forsaken[]> {
  return ctx.db.query<Forsaken[]>(
    `SELECT payment_hash AS "paymentHash", node_key AS "nodeKey" FROM bolt11s b
      WHERE state IN ('wanted', 'open') AND created_at < $1::timestamptz - ${FORSAKEN_AFTER_SECONDS} * interval '1 second'
        AND NOT EXISTS (SELECT FROM invoices i WHERE i.id = b.invoice_id)`,
    [await ctx.now(ctx.db.manager)],
  );
}

/** The row first, so that a creation that wakes up so late sees it. */
async function cancelForsaken(
  { ctx, lightning }: LightningWatch,
  row: Forsaken,
  sweep: Sweep,
): Promise<void> {
  const { paymentHash, nodeKey } = row;
  const unfinished = { paymentHash, state: In(["wanted", "open"]) };
  await ctx.db.manager.update(Bolt11, unfinished, { cancelWanted: true });
  const otherNode = nodeKey !== null && sweep.nodeKey !== null && nodeKey !== sweep.nodeKey;
  const answer = otherNode ? "unknown" : await lightning.cancelInvoice(paymentHash);
  if (answer === "accepted") return;
  if (answer === "settled") ctx.log.error({ paymentHash }, "a BOLT11 without an invoice was paid");
  await ctx.db.manager.update(Bolt11, unfinished, { state: answer === "settled" ? "settled" : "canceled" });
}
