import type { CommandContext } from "./context";
import { awaitsAddress, giveAddress } from "./give-address";
import { readCheckout, type CheckoutFacts } from "./read-checkout";

/**
 * A customer opens the page: an invoice that waits for that gets its address. The page is shown without it where it
 * cannot be given, with the other ways to pay; the next opening tries again.
 * @throws DomainError `invoice-not-found`
 */
export async function openCheckout(ctx: CommandContext, invoiceId: string): Promise<CheckoutFacts> {
  const facts = await readCheckout(ctx, invoiceId);
  const { view, now } = facts;
  if (!awaitsAddress(view, now)) return facts;
  try {
    await giveAddress(ctx, view.invoice.storeId, invoiceId);
  } catch (error) {
    ctx.log.warn({ invoiceId, err: error }, "no address for an invoice whose page was opened");
  }
  return readCheckout(ctx, invoiceId);
}
