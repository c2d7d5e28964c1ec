import { type DataSource, QueryFailedError } from "typeorm";
import { batch, type BatchOptions, perDatabase } from "../../database/batch";
import { DomainError } from "../../domain/errors";
import type { CommandContext } from "../context";
import { type Draft, insertInvoices, type NewInvoice } from "./insert-invoice";
import { withDeadline } from "../../database/with-deadline";
import type { InvoiceView } from "./read-invoice";
import { inTransaction, type Tx } from "../transaction";

/** In the invoice's transaction. May run again after a rollback. */
export type AlsoWrite = (tx: Tx, view: InvoiceView) => Promise<void>;

/** First in the invoice's transaction, so that what limits it holds for simultaneous ones. May run again. */
export type TakeNumber = (tx: Tx) => Promise<Pick<Draft, "orderId" | "metadata">>;

interface InvoiceRequest extends NewInvoice {
  takeNumber: TakeNumber | undefined;
  alsoWrite: AlsoWrite | undefined;
}
type WriteRequest = InvoiceRequest & { ctx: CommandContext; late: AbortSignal };
type Result = PromiseSettledResult<InvoiceView>;

/** Each may have hundreds of deliveries, and all wait for the slowest. */
const INVOICES_A_TRANSACTION = 16;

/** Then the caller has received an error: nothing may be committed for it. */
const WRITTEN_WITHIN_MS = 15_000;
const tooLate = (): Error => new DomainError("unavailable", "The database did not answer in time.");

/** Simultaneous requests share a transaction, and so its flush to disk. */
export async function writeInvoice(ctx: CommandContext, invoice: InvoiceRequest): Promise<InvoiceView> {
  const of = invoice.takeNumber === undefined ? writerOf : numberedWriterOf;
  const write = (late: AbortSignal): Promise<Result> => of(ctx.db)({ ...invoice, ctx, late });
  const result = await withDeadline(WRITTEN_WITHIN_MS, write, tooLate);
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

const writer = (options: BatchOptions) =>
  perDatabase((db) =>
    batch<WriteRequest, Result>(async (requests) => {
      try {
        const written = await writeAll(requests);
        return written.map((value) => ({ status: "fulfilled", value }));
      } catch (reason) {
        return requests.length === 1 ? [{ status: "rejected", reason }] : writeEach(db, requests, reason);
      }
    }, options),
  );

const writerOf = writer({ runsAtOnce: 2, atMost: INVOICES_A_TRANSACTION });
/** A number is often refused, and its row is locked: neither is the business of the other invoices. */
const numberedWriterOf = writer({ runsAtOnce: 1, atMost: 1 });

/**
 * A transaction each, one after the other: a bad invoice fails alone. None when the database is away. If the first
 * outcome is unknown, the key prevents a second write.
 */
async function writeEach(
  db: DataSource,
  requests: readonly WriteRequest[],
  first: unknown,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [at, one] of requests.entries()) {
    const [answers] = await Promise.allSettled([one.ctx.now(db.manager)]);
    if (answers.status === "rejected") return [...results, ...requests.slice(at).map(() => answers)];
    const [result] = await Promise.allSettled([writeAll([one])]);
    if (result.status === "fulfilled") results.push({ ...result, value: result.value[0]! });
    else results.push(isWrittenAlready(result.reason) ? { ...result, reason: first } : result);
  }
  return results;
}

/** Its id is new: only its own first attempt can have written it. */
function isWrittenAlready(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, table } = error.driverError as { code?: unknown; table?: unknown };
  return code === "23505" && table === "invoices";
}

async function writeAll(requests: readonly WriteRequest[]): Promise<InvoiceView[]> {
  const [first] = requests;
  if (first === undefined) return [];
  refuseLate(requests);
  return inTransaction(first.ctx, async (tx) => {
    const numbered: NewInvoice[] = [];
    for (const { draft, takeNumber, ...rest } of requests)
      numbered.push({ ...rest, draft: { ...draft, ...(await takeNumber?.(tx)) } });
    const inserted = await insertInvoices(tx, numbered);
    for (const [at, view] of inserted.entries()) await requests[at]?.alsoWrite?.(tx, view);
    refuseLate(requests); // there is nothing to wait for between here and COMMIT
    return inserted;
  });
}

function refuseLate(requests: readonly WriteRequest[]): void {
  if (requests.some(({ late }) => late.aborted)) throw tooLate();
}
