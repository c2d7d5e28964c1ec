import { type DataSource, type EntityManager, QueryFailedError } from "typeorm";
import { gather } from "../domain/gather";
import type { CommandContext } from "./context";
import { inTime as inTimeOfDatabase } from "./in-time";
import { type InsertedInvoice, insertInvoices, type NewInvoice } from "./insert-invoice";
import { perDatabase } from "./per-database";
import type { InvoiceView } from "./read-invoice";
import { TOGETHER } from "./together";

/** What else belongs into the invoice's transaction. It may run again, after one that was undone. */
export type AlsoWrite = (manager: EntityManager, view: InvoiceView) => Promise<void>;

type Wanted = NewInvoice & { alsoWrite: AlsoWrite | undefined };
type Asked = Wanted & { ctx: CommandContext };
type Result = PromiseSettledResult<InsertedInvoice>;

/** Invoices that one transaction takes. */
const INVOICES_TOGETHER = 100;

/** Writes an invoice and what belongs to it. Those that are asked for at once share a transaction, and so its flush to disk. */
export async function writeInvoice(ctx: CommandContext, invoice: Wanted): Promise<InsertedInvoice> {
  return writerOf(ctx.db)(ctx, invoice);
}

const writerOf = perDatabase((db) => invoiceWriter(db));

/** `inTime` ends the wait for a run. */
export function invoiceWriter(
  db: DataSource,
  { inTime = inTimeOfDatabase }: { inTime?: <T>(work: Promise<T>) => Promise<T> } = {},
): (ctx: CommandContext, invoice: Wanted) => Promise<InsertedInvoice> {
  const write = gather<Asked, Result>(
    async (asked) => {
      const run: Run = { late: false, results: new Map() };
      let late: unknown;
      try {
        await inTime(writeAll(db, asked, run));
      } catch (error) {
        run.late = true;
        late = error;
      }
      return asked.map((one) => run.results.get(one) ?? { status: "rejected", reason: late });
    },
    { ...TOGETHER, atMost: INVOICES_TOGETHER },
  );
  return async (ctx, invoice) => {
    const result = await write({ ...invoice, ctx });
    if (result.status === "rejected") throw result.reason;
    return result.value;
  };
}

interface Run {
  /** Its callers were told that it failed: it begins and commits nothing more. */
  late: boolean;
  /** What has become of each so far. */
  results: Map<Asked, Result>;
}

/** Never rejects. */
async function writeAll(db: DataSource, asked: readonly Asked[], run: Run): Promise<void> {
  if (run.late) return;
  const reached: Reached = { begin: false, commit: false };
  try {
    const made = await db.transaction(async (manager) => {
      reached.begin = true;
      stopWhenLate(run);
      const written = await writeWithin(manager, asked);
      stopWhenLate(run); // nothing is waited for between here and COMMIT
      reached.commit = true;
      return written;
    });
    for (const [at, value] of made.entries()) run.results.set(asked[at]!, { status: "fulfilled", value });
  } catch (reason) {
    if (asked.length === 1 || !mayBeOfOne(reason, reached)) {
      for (const one of asked) run.results.set(one, { status: "rejected", reason });
      return;
    }
    // Undone as a whole. One that cannot be written must not keep the others from it: it is found by halves, one
    // transaction after the other, so that a failure takes no more connections than a success.
    const half = Math.ceil(asked.length / 2);
    await writeAll(db, asked.slice(0, half), run);
    await writeAll(db, asked.slice(half), run);
  }
}

function stopWhenLate({ late }: Run): void {
  if (late) throw new Error("nobody waits for these invoices any more");
}

async function writeWithin(manager: EntityManager, asked: readonly Asked[]): Promise<InsertedInvoice[]> {
  const [first] = asked;
  if (first === undefined) return [];
  const made = await insertInvoices(manager, first.ctx, asked);
  for (const [at, { view }] of made.entries()) await asked[at]?.alsoWrite?.(manager, view);
  return made;
}

/** How far a transaction came. */
interface Reached {
  begin: boolean;
  commit: boolean;
}

/** What Postgres says of itself, and not of a statement: connection, too few resources, shutdown; a standby (25006). */
const OUTAGE = /^(08|25|53|57)/;
/** SQLSTATEs, which no code of a socket is (`EPIPE`): their classes begin so. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;
/** Failures of COMMIT by which it is undone: what was written, or that another did it first. */
const UNDONE_AT_COMMIT = /^(22|23|40)/;

/**
 * Whether a failure is surely undone, and may be that of one of several invoices, such as an address that is taken or a
 * claim that was lost: any but an outage, which would meet each of them again, and a COMMIT of which nothing is known.
 */
function mayBeOfOne(error: unknown, { begin, commit }: Reached): boolean {
  if (!begin) return false;
  if (!(error instanceof QueryFailedError)) return !commit;
  const { code } = error.driverError as { code?: unknown };
  if (typeof code !== "string" || !SQLSTATE.test(code)) return false;
  return commit ? UNDONE_AT_COMMIT.test(code) : !OUTAGE.test(code);
}
