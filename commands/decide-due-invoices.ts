import { inTurns } from "../domain/in-turns";
import { changeDueInvoices } from "./change-invoice";
import type { CommandContext } from "./context";
import { waitsForChain } from "./held-expiries";

/** Invoices of one transaction, where nothing makes them weigh more. Whoever pays one of them waits for it to end. */
const BATCH = 500;
/** Of metadata weigh as much as an invoice: all of a batch is in memory. */
const METADATA_BYTES = 4_096;
/** A BOLT11 that is to be cancelled takes statements of its own. */
const BOLT11_WEIGHT = 4;
/** Transactions of a sweep at a time, and no more: whoever waits for something else needs the database too. */
const AT_ONCE = 2;
/** Looked up at a time: where all are due at one instant, each look sorts all that are left. */
const LOOKED_UP = 5_000;
/** Whoever set the time has enqueued a job for it as well. */
const GRACE_SECONDS = 3;
/** Time for a job that is a little late, and for chain-watch, which looks every 5 s. */
const JUST_SECONDS = 10;
const WAITS = waitsForChain({ now: "$1::timestamptz", startedAt: "$5::timestamptz", holdMinutes: "$6::int" });
const WEIGHT = `1 + octet_length(metadata) / ${METADATA_BYTES} + CASE WHEN EXISTS (
  SELECT FROM bolt11s b WHERE b.invoice_id = i.id AND b.state IN ('wanted', 'open')) THEN ${BOLT11_WEIGHT} ELSE 0 END`;

interface Place {
  id: string;
  /** As text: a Date would lose the microseconds, and the walk would find the row again. */
  decideAt: string;
}

interface DueInvoice extends Place {
  /** 1 of one without a BOLT11 and with little metadata. */
  weight: number;
}

/**
 * The sweep: decides every invoice whose decision is due and was not made, many in a transaction: a job for each would
 * cost more than its decision. An expiry that only waits for the chain to be looked at stays as it stands until it was.
 * Those of which the Lightning node has to be asked get a job. Answers how many were due.
 */
export async function decideDueInvoices(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  let swept = 0;
  let after: Place = { id: "", decideAt: "-infinity" };
  for (;;) {
    const due = await lookUp(ctx, { now, after, graceSeconds: GRACE_SECONDS, most: LOOKED_UP });
    await decideAll(ctx, due, now);
    swept += due.length;
    if (due.length < LOOKED_UP) return swept;
    after = due.at(-1) ?? after;
  }
}

/**
 * What the end of a second asks for: those that came due just now, a transaction's worth. A crowd's rest and those that
 * wait for longer are the sweep's: each second would else walk all that a node which is away holds up.
 */
export async function decideJustDueInvoices(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  const after = { id: "", decideAt: before(now, JUST_SECONDS) };
  const due = await lookUp(ctx, { now, after, graceSeconds: 0, most: BATCH });
  await decideAll(ctx, due, now);
  return due.length;
}

/** Asks for the decisions of those that came due just now, where there are: they may have waited for the look at the chain that has ended. */
export async function askForJustDue(ctx: CommandContext): Promise<void> {
  const now = await ctx.now(ctx.db.manager);
  const due = await ctx.db.query<unknown[]>(
    `SELECT 1 FROM invoices WHERE decide_at <= $1::timestamptz AND decide_at > $2::timestamptz LIMIT 1`,
    [now, before(now, JUST_SECONDS)],
  );
  if (due.length === 0) return;
  await ctx.enqueue("invoice-expiry", [{ endOfSecond: Math.ceil(now.getTime() / 1_000) }]);
}

/** Those that are due for `graceSeconds`, behind a place in the order in which they came due. */
async function lookUp(
  ctx: CommandContext,
  { now, after, graceSeconds, most }: { now: Date; after: Place; graceSeconds: number; most: number },
): Promise<DueInvoice[]> {
  return ctx.db.query<DueInvoice[]>(
    `SELECT id, decide_at::text AS "decideAt", ${WEIGHT} AS weight FROM invoices i
      WHERE decide_at <= $1::timestamptz - $4 * interval '1 second'
        AND (decide_at, id) > ($2::timestamptz, $3)
        AND NOT ${WAITS}
      ORDER BY decide_at, id LIMIT $7`,
    [now, after.decideAt, after.id, graceSeconds, ctx.startedAt, ctx.settings.expiryHoldMinutes, most],
  );
}

async function decideAll(ctx: CommandContext, due: readonly DueInvoice[], dueBy: Date): Promise<void> {
  const inTurn = inTurns(AT_ONCE);
  await Promise.all(batchesOf(due).map((batch) => inTurn(() => decide(ctx, batch, dueBy))));
}

const before = (now: Date, seconds: number): string =>
  new Date(now.getTime() - seconds * 1_000).toISOString();

function batchesOf(due: readonly DueInvoice[]): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const { id, weight } of due) {
    if (room < weight) {
      batches.push([]);
      room = BATCH;
    }
    batches.at(-1)?.push(id);
    room -= weight;
  }
  return batches;
}

/** Enqueues those that need a job of their own. Those that somebody else is deciding are left to them. */
async function decide(ctx: CommandContext, invoiceIds: readonly string[], dueBy: Date): Promise<void> {
  const left = await decideTogether(ctx, invoiceIds, dueBy);
  await ctx.enqueue(
    "invoices",
    left.map((invoiceId) => ({ invoiceId })),
    { sweep: true },
  );
}

async function decideTogether(
  ctx: CommandContext,
  invoiceIds: readonly string[],
  dueBy: Date,
): Promise<readonly string[]> {
  try {
    const changes = await changeDueInvoices(ctx, invoiceIds, dueBy);
    return [...changes].filter(([, { asksLightning }]) => asksLightning).map(([invoiceId]) => invoiceId);
  } catch (error) {
    // One that cannot be decided must not keep the others from it.
    ctx.log.warn({ err: error, invoices: invoiceIds.length }, "invoices could not be decided together");
    return invoiceIds;
  }
}
