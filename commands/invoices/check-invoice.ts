import { awaitChainCheck } from "../server/await-chain-check";
import type { CommandContext } from "../context";
import { readInvoice, type InvoiceView } from "./read-invoice";
import { decideInvoice } from "../lightning/sync-lightning-invoices";

/**
 * Looks at the chain now, as far as its watcher and node are there, and at the invoice's BOLT11 where it has one; decides
 * an invoice of a store again. Takes seconds when a look is under way.
 * @throws DomainError `invoice-not-found`.
 */
export async function checkInvoice(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  await readInvoice(ctx, storeId, invoiceId);
  await awaitChainCheck(ctx);
  await decideInvoice(ctx, invoiceId);
  return readInvoice(ctx, storeId, invoiceId);
}
