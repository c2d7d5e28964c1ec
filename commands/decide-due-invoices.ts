import { changeDueInvoices } from "./change-invoice";
import type { CommandContext } from "./context";
import { waitsForChain } from "./held-expiries";

/** Decided in one transaction. */
const BATCH = 100;
/** Transactions at a time, and no more: whoever waits for something else needs the database too. */
const AT_ONCE = 2;
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
  let swept = 0;
  let last: DueInvoice = { id: "", decideAt: before(now, sinceSeconds) };
  for (;;) {
    const due = await ctx.db.query<DueInvoice[]>(
      `SELECT id, decide_at::text AS "decideAt" FROM invoices i
        WHERE decide_at <= $1::timestamptz - $4 * interval '1 second'
          AND (decide_at, id) > ($2::timestamptz, $3)
          AND NOT ${WAITS}
        ORDER BY decide_at, id LIMIT ${AT_ONCE * BATCH}`,
      [now, last.decideAt, last.id, graceSeconds, ctx.startedAt, ctx.settings.expiryHoldMinutes],
    );
    const invoiceIds = due.map(({ id }) => id);
    const batches = [invoiceIds.slice(0, BATCH), invoiceIds.slice(BATCH)];
    const asked = (await Promise.all(batches.map((batch) => decide(ctx, batch)))).flat();
    await ctx.enqueue(
      "invoices",
      asked.map((invoiceId) => ({ invoiceId })),
      { sweep: true },
    );
    swept += due.length;
    if (due.length < AT_ONCE * BATCH) return swept;
    last = due.at(-1) ?? last;
  }
}

function before(now: Date, seconds: number): string {
  return seconds === Infinity ? "-infinity" : new Date(now.getTime() - seconds * 1_000).toISOString();
}

/** Answers those that need a job of their own. Those that somebody else is deciding are left to them. */
async function decide(ctx: CommandContext, invoiceIds: readonly string[]): Promise<string[]> {
  if (invoiceIds.length === 0) return [];
  try {
    const changes = await changeDueInvoices(ctx, invoiceIds);
    return [...changes].filter(([, { asksLightning }]) => asksLightning).map(([invoiceId]) => invoiceId);
  } catch (error) {
    // One that cannot be decided must not keep the others from it.
    ctx.log.warn({ err: error, invoices: invoiceIds.length }, "invoices could not be decided together");
    return [...invoiceIds];
  }
}
