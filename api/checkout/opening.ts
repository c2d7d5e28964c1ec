import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { awaitsAddress } from "../../commands/invoices/give-address";
import { openCheckout } from "../../commands/invoices/read-checkout";
import { readCheckout, type CheckoutFacts } from "../../commands/invoices/read-checkout";

const RETRY_SECONDS = 10;

/**
 * Loading the page allocates a lazy address. A prefetch allocates none and gets 503, so that its copy is not shown
 * later.
 */
export async function openedFacts(
  koa: Context,
  ctx: CommandContext,
  invoiceId: string,
): Promise<CheckoutFacts> {
  if (koa.method === "HEAD") return readCheckout(ctx, invoiceId);
  const ahead = loadsAhead(koa);
  const facts = ahead ? await readCheckout(ctx, invoiceId) : await openCheckout(ctx, invoiceId);
  if (!awaitsAddress(facts.view, facts.now)) return facts;
  if (ahead) koa.status = 503;
  koa.set(ahead ? "Retry-After" : "Refresh", String(RETRY_SECONDS));
  return facts;
}

/** Browsers announce a prefetch, older ones with other headers. */
const loadsAhead = (koa: Context): boolean =>
  ["Sec-Purpose", "Purpose", "X-Moz"].some((name) => /\bprefetch\b/i.test(koa.get(name)));
