import { type DataSource, type EntityManager, QueryFailedError } from "typeorm";
import { gather } from "../domain/gather";
import type { CommandContext } from "./context";
import { ClaimLostError } from "./idempotency";
import { inTime } from "./in-time";
import { type InsertedInvoice, insertInvoices, type NewInvoice } from "./insert-invoice";
import { perDatabase } from "./per-database";
import type { InvoiceView } from "./read-invoice";

/** What else belongs into the invoice's transaction. It may run again, after one that was undone. */
export type AlsoWrite = (manager: EntityManager, view: InvoiceView) => Promise<void>;

interface Asked extends NewInvoice {
  ctx: CommandContext;
  alsoWrite: AlsoWrite | undefined;
}

/** Invoices that one transaction takes. */
const TOGETHER = 100;

/** Writes an invoice and what belongs to it. Those that are asked for at once share a transaction, and so its flush to disk. */
export async function writeInvoice(
  ctx: CommandContext,
  invoice: NewInvoice & { alsoWrite: AlsoWrite | undefined },
): Promise<InsertedInvoice> {
  const written = await writerOf(ctx.db)({ ...invoice, ctx });
  if (written.status === "rejected") throw written.reason;
  return written.value;
}

/** Two: while one flushes to disk or waits for a lock, the other goes on. */
const TRANSACTIONS_AT_ONCE = 2;

const writerOf = perDatabase((db) =>
  gather<Asked, PromiseSettledResult<InsertedInvoice>>((asked) => inTime(writeAll(db, asked)), {
    runsAtOnce: TRANSACTIONS_AT_ONCE,
  }),
);

async function writeAll(
  db: DataSource,
  asked: readonly Asked[],
): Promise<PromiseSettledResult<InsertedInvoice>[]> {
  const results: PromiseSettledResult<InsertedInvoice>[] = [];
  for (let at = 0; at < asked.length; at += TOGETHER)
    results.push(...(await writeSome(db, asked.slice(at, at + TOGETHER))));
  return results;
}

async function writeSome(
  db: DataSource,
  asked: readonly Asked[],
): Promise<PromiseSettledResult<InsertedInvoice>[]> {
  try {
    const made = await db.transaction((manager) => writeWithin(manager, asked));
    return made.map((value) => ({ status: "fulfilled", value }));
  } catch (reason) {
    if (asked.length === 1 || !isOfOne(reason)) return asked.map(() => ({ status: "rejected", reason }));
    // Undone as a whole. One that cannot be written must not keep the others from it.
    return (await Promise.all(asked.map((one) => writeSome(db, [one])))).flat();
  }
}

async function writeWithin(manager: EntityManager, asked: readonly Asked[]): Promise<InsertedInvoice[]> {
  const [first] = asked;
  if (first === undefined) return [];
  const made = await insertInvoices(manager, first.ctx, asked);
  for (const [at, { view }] of made.entries()) await asked[at]?.alsoWrite?.(manager, view);
  return made;
}

/**
 * Whether a failure is about one of several invoices, such as an address that is taken: what it writes (SQLSTATE classes
 * 22 and 23), or that another does its request (a deadlock included). Any other would meet each of them again, or leaves
 * unknown what was committed.
 */
function isOfOne(error: unknown): boolean {
  if (error instanceof ClaimLostError) return true;
  if (!(error instanceof QueryFailedError)) return false;
  const { code } = error.driverError as { code?: unknown };
  return typeof code === "string" && /^(2[23]|40P01$)/.test(code);
}
