import { inTurns } from "../domain/in-turns";
import { changeDueInvoices } from "./change-invoice";
import type { CommandContext } from "./context";
import { waitsForChain } from "./held-expiries";

/** Decided in one transaction. Whoever pays one of them waits for it to end. */
const BATCH = 500;
/** Transactions at a time, and no more: whoever waits for something else needs the database too. */
const AT_ONCE = 2;
/** Looked up at a time: where all are due at one instant, each look sorts all that are left. */
const LOOKED_UP = 5_000;
/** Whoever set the time has enqueued a job for it as well. */
const GRACE_SECONDS = 3;
/** Time for a job that is a little late, and for chain-watch, which looks every 5 s. */
const JUST_SECONDS = 10;
const WAITS = waitsForChain({ now: "$1::timestamptz", startedAt: "$5::timestamptz", holdMinutes: "$6::int" });

interface DueInvoice {
  id: string;
  /** As text: a Date would lose the microseconds, and the walk would find the row again. */
  decideAt: string;
}

/**
 * The sweep: decides every invoice whose decision is due and was not made, many in a transaction: a job for each would
 * cost more than its decision. An expiry that only waits for the chain to be looked at stays as it stands until it was.
 * Those of which the Lightning node has to be asked get a job. Answers how many were due.
 */
export async function decideDueInvoices(ctx: CommandContext): Promise<number> {
  return decideDue(ctx, { sinceSeconds: Infinity, graceSeconds: GRACE_SECONDS });
}

/**
 * What the end of a second asks for: those that came due just now. Those that wait for longer are the sweep's: each
 * second would else walk all that a node which is away holds up.
 */
export async function decideJustDueInvoices(ctx: CommandContext): Promise<number> {
  return decideDue(ctx, { sinceSeconds: JUST_SECONDS, graceSeconds: 0 });
}

async function decideDue(
  ctx: CommandContext,
  { sinceSeconds, graceSeconds }: { sinceSeconds: number; graceSeconds: number },
): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  const inTurn = inTurns(AT_ONCE);
  let swept = 0;
  let last: DueInvoice = { id: "", decideAt: before(now, sinceSeconds) };
  for (;;) {
    const due = await ctx.db.query<DueInvoice[]>(
      `SELECT id, decide_at::text AS "decideAt" FROM invoices i
        WHERE decide_at <= $1::timestamptz - $4 * interval '1 second'
          AND (decide_at, id) > ($2::timestamptz, $3)
          AND NOT ${WAITS}
        ORDER BY decide_at, id LIMIT ${LOOKED_UP}`,
      [now, last.decideAt, last.id, graceSeconds, ctx.startedAt, ctx.settings.expiryHoldMinutes],
    );
    const batches = batchesOf(due.map(({ id }) => id));
    await Promise.all(batches.map((batch) => inTurn(() => decide(ctx, batch, now))));
    swept += due.length;
    if (due.length < LOOKED_UP) return swept;
    last = due.at(-1) ?? last;
  }
}

function before(now: Date, seconds: number): string {
  return seconds === Infinity ? "-infinity" : new Date(now.getTime() - seconds * 1_000).toISOString();
}

function batchesOf(invoiceIds: readonly string[]): string[][] {
  const count = Math.ceil(invoiceIds.length / BATCH);
  return Array.from({ length: count }, (_, at) => invoiceIds.slice(at * BATCH, (at + 1) * BATCH));
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
