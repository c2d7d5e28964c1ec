import type Router from "@koa/router";
import type { Middleware } from "koa";
import { openCheckout } from "../../commands/invoices/read-checkout";
import type { CheckoutParts } from "./parts";
import { contextOf } from "../http/for-request";
import { sameSite } from "../http/middleware/same-site";
import type { ApiState } from "../http/state";
import { FORM } from "./form";

/** `POST /i/{invoiceId}/onchain`: 303 back to the page, which shows the address, or why there is none. */
export function addOnchainChoice(
  router: Router<ApiState>,
  parts: CheckoutParts,
  { base, before }: { base: string; before: Middleware<ApiState>[] },
): void {
  const ownPage = sameSite(new URL(parts.publicUrl).origin, FORM);
  router.post("/i/:invoiceId/onchain", ...before, ownPage, async (koa) => {
    const invoiceId = koa.params.invoiceId ?? "";
    await openCheckout(contextOf(parts), invoiceId, { chosen: true });
    koa.status = 303;
    koa.redirect(`${base}i/${invoiceId}${koa.search}`);
  });
}
