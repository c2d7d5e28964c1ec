import type { CommandContext } from "./context";
import { type InvoiceFilter, listInvoices } from "./list-invoices";
import type { InvoiceView } from "./read-invoice";

const BATCH = 200;
/** Small, so that a download begins at once. */
const FIRST_BATCH = 20;

/**
 * All invoices that match, newest first, batch by batch: never more than one in memory. Each batch is read when it is
 * asked for, so a long export shows later ones as they are then; invoices that are made meanwhile are not in it.
 */
export async function* exportInvoices(
  ctx: CommandContext,
  storeId: string,
  filter: InvoiceFilter,
): AsyncGenerator<InvoiceView[], void, undefined> {
  let cursor: string | undefined;
  do {
    const page = { limit: cursor === undefined ? FIRST_BATCH : BATCH, cursor };
    const { items, nextCursor } = await ctx.readElsewhere((db) =>
      listInvoices({ ...ctx, db }, storeId, filter, page),
    );
    yield items;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}
