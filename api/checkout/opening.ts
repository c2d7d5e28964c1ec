import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { awaitsAddress } from "../../commands/invoices/give-address";
import { openCheckout, readCheckout, type CheckoutFacts } from "../../commands/invoices/read-checkout";

const RETRY_SECONDS = 10;

/** Loading the page allocates a lazy address. */
export async function openedFacts(
  koa: Context,
  ctx: CommandContext,
  invoiceId: string,
): Promise<CheckoutFacts> {
  if (koa.method === "HEAD") return readCheckout(ctx, invoiceId);
  const facts = await openCheckout(ctx, invoiceId);
  if (awaitsAddress(facts.view, facts.now)) koa.set("Refresh", String(RETRY_SECONDS));
  return facts;
}
