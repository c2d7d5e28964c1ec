import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { awaitsAddress } from "../../commands/wallets/give-address";
import { openCheckout } from "../../commands/invoices/read-checkout";
import { readCheckout, type CheckoutFacts } from "../../commands/invoices/read-checkout";

const RETRY_SECONDS = 10;

/**
 * What the page is made of. To load it opens it: an invoice with a lazy address gets that now. A browser that only loads
 * ahead takes none, and its copy must not be shown later, so it is told that there is nothing yet. A page that could not
 * get its address loads itself again: its script alone would never ask for one.
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

/** Browsers say that they load a page before anybody has asked for it, older ones by other names. */
const loadsAhead = (koa: Context): boolean =>
  ["Sec-Purpose", "Purpose", "X-Moz"].some((name) => /\bprefetch\b/i.test(koa.get(name)));
