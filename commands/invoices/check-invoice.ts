import { awaitChainCheck } from "../server/await-chain-check";
import type { CommandContext } from "../context";
import { readInvoice, type InvoiceView } from "./read-invoice";
import { decideInvoice } from "./sync-lightning-invoices";

/**
 * Checks the chain now, if its watcher and node are running, and the BOLT11; then decides. Takes seconds while a check
 * is under way.
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
