import type { CommandContext } from "./context";

const BATCH = 1_000;
/** Whoever set the time has enqueued a job for it as well. */
const GRACE_SECONDS = 3;

interface DueInvoice {
  id: string;
  /** As text: a Date would lose the microseconds, and the walk would find the row again. */
  decideAt: string;
}

/** The sweep: asks again for every invoice whose decision is due and was not made. Answers how many there were. */
export async function decideDueInvoices(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  let asked = 0;
  let last: DueInvoice = { id: "", decideAt: "-infinity" };
  for (;;) {
    const due = await ctx.db.query<DueInvoice[]>(
      `SELECT id, decide_at::text AS "decideAt" FROM invoices
        WHERE decide_at <= $1::timestamptz - ${GRACE_SECONDS} * interval '1 second'
          AND (decide_at, id) > ($2::timestamptz, $3)
        ORDER BY decide_at, id LIMIT ${BATCH}`,
      [now, last.decideAt, last.id],
    );
    await ctx.enqueue(
      "invoices",
      due.map(({ id }) => ({ invoiceId: id })),
      { sweep: true },
    );
    asked += due.length;
    if (due.length < BATCH) return asked;
    last = due.at(-1) ?? last;
  }
}
