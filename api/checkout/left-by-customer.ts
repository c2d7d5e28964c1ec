import type Router from "@koa/router";
import type { Context, Middleware } from "koa";
import type { CommandContext } from "../../commands/context";
import { leaveRefundAddress } from "../../commands/invoices/leave-refund-address";
import { openCheckout } from "../../commands/invoices/read-checkout";
import { askForReceipt } from "../../commands/mails/ask-for-receipt";
import type { CheckoutParts } from "./parts";
import { sameSite } from "../http/middleware/same-site";
import type { ApiState } from "../http/state";
import { chosenLanguage } from "./chosen-language";
import { FORM, readForm } from "./form";
import type { ReceiptRefusal } from "./page/receipt-part";
import type { RefundRefusal } from "./page/refund-part";
import { contextOf } from "../http/for-request";

export type Refusal = RefundRefusal | ReceiptRefusal;

interface Around {
  base: string;
  before: Middleware<ApiState>[];
  show: (koa: Context, invoiceId: string, refusal: Refusal) => Promise<void>;
}

/** No other text would be accepted either. */
const CONFLICTS: readonly Refusal["answer"][] = ["taken", "not-needed", "closed"];

/**
 * `POST /i/{invoiceId}/onchain`: 303 back to the page, which shows the address, or why there is none.
 * `POST /i/{invoiceId}`, an address for a refund or for the receipt: 303 back to the page; 422 with a reason that can be
 * corrected, 409 if none is accepted.
 */
export function addFormsOfCustomer(router: Router<ApiState>, parts: CheckoutParts, around: Around): void {
  const ownPage = sameSite(new URL(parts.publicUrl).origin, FORM);
  router.post("/i/:invoiceId", ...around.before, ownPage, async (koa) => {
    const invoiceId = koa.params.invoiceId ?? "";
    const form = await readForm(koa);
    const email = form?.get("receiptEmail") ?? null;
    const ctx = contextOf(parts);
    const refusal =
      email === null
        ? await leaveAddress(ctx, invoiceId, form && (form.get("refundAddress") ?? ""))
        : await leaveEmail(ctx, koa, invoiceId, email);
    if (refusal === null) {
      koa.status = 303;
      koa.redirect(`${around.base}i/${invoiceId}${koa.search}#${email === null ? "refund" : "receipt"}`);
      return;
    }
    koa.status = CONFLICTS.includes(refusal.answer) ? 409 : 422;
    await around.show(koa, invoiceId, refusal);
  });
  router.post("/i/:invoiceId/onchain", ...around.before, ownPage, async (koa) => {
    const invoiceId = koa.params.invoiceId ?? "";
    await openCheckout(contextOf(parts), invoiceId, { chosen: true });
    koa.status = 303;
    koa.redirect(`${around.base}i/${invoiceId}${koa.search}`);
  });
}

async function leaveAddress(
  ctx: CommandContext,
  invoiceId: string,
  typed: string | null,
): Promise<RefundRefusal | null> {
  const answer = typed === null ? "no-address" : await leaveRefundAddress(ctx, invoiceId, typed);
  return answer === "left" ? null : { of: "refund", answer, typed: typed ?? "" };
}

async function leaveEmail(
  ctx: CommandContext,
  koa: Context,
  invoiceId: string,
  typed: string,
): Promise<ReceiptRefusal | null> {
  const languageFor = (ofInvoice: string | null): string => chosenLanguage(koa, ofInvoice).code;
  const answer = await askForReceipt(ctx, invoiceId, { typed, languageFor });
  return answer === "left" ? null : { of: "receipt", answer, typed };
}
