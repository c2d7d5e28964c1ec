import type Router from "@koa/router";
import type { Context, Middleware } from "koa";
import { leaveRefundAddress } from "../../commands/invoices/leave-refund-address";
import type { AppDependencies } from "../app-dependencies";
import { sameSite } from "../http/middleware/same-site";
import type { ApiState } from "../state";
import { FORM, readForm } from "./form";
import type { RefundRefusal } from "./page/refund-part";
import { contextOf } from "../http/for-request";

interface Around {
  base: string;
  before: Middleware<ApiState>[];
  show: (koa: Context, invoiceId: string, refusal: RefundRefusal) => Promise<void>;
}

/**
 * `POST /i/{invoiceId}`: 303 back to the page; 422 with a reason that can be corrected, 409 if no address is accepted.
 */
export function addRefundAddress(router: Router<ApiState>, parts: AppDependencies, around: Around): void {
  const ownPage = sameSite(new URL(parts.publicUrl).origin, FORM);
  router.post("/i/:invoiceId", ...around.before, ownPage, async (koa) => {
    const ctx = contextOf(parts);
    const invoiceId = koa.params.invoiceId ?? "";
    const form = await readForm(koa);
    const typed = form && (form.get("refundAddress") ?? "");
    const answer = typed === null ? "no-address" : await leaveRefundAddress(ctx, invoiceId, typed);
    if (answer === "left") {
      koa.status = 303;
      koa.redirect(`${around.base}i/${invoiceId}${koa.search}#refund`);
      return;
    }
    koa.status = answer === "taken" || answer === "not-needed" ? 409 : 422;
    await around.show(koa, invoiceId, { answer, typed: typed ?? "" });
  });
}
