import { activateOnchain } from "../../commands/activate-onchain";
import { archiveInvoice } from "../../commands/archive-invoice";
import { editInvoice } from "../../commands/edit-invoice";
import { eraseInvoice } from "../../commands/erase-invoice";
import { listInvoiceHistory } from "../../commands/list-invoice-history";
import { presentHistoryLine } from "../presenters/history";
import { presentInvoice } from "../presenters/invoice";
import { presentPage } from "../presenters/page";
import { route } from "../route";
import { historyPage } from "../schemas/history-answer";
import { editInvoiceBody, metadataText } from "../schemas/invoice";
import { invoiceAnswer } from "../schemas/invoice-answer";
import { pageQuery } from "../schemas/page";
import { emptyBody, noQuery } from "../schemas/text";

const INVOICE = "/stores/:storeId/invoices/:invoiceId";

export const invoiceChangeRoutes = [
  route({
    method: "patch",
    path: INVOICE,
    operationId: "editInvoice",
    tags: ["Invoices"],
    summary: "Change an invoice's metadata and redirect URL, or clear its refund address",
    description:
      "Fields of `metadata` are put into those that the invoice has, `null` takes one away; all others stay exactly as they were sent. `orderId` cannot be changed. `refundAddress: null` lets the customer leave another one. Events that were written before keep the metadata that they have.",
    query: noQuery,
    body: editInvoiceBody,
    success: 200,
    answer: invoiceAnswer,
    errors: [],
    async handle({ ctx, params: { storeId, invoiceId }, body, rawBody }) {
      const { metadata, ...edits } = body;
      const view = await editInvoice(ctx, storeId, invoiceId, {
        ...edits,
        ...(metadata && { metadataJson: metadataText(rawBody) }),
      });
      return presentInvoice(view, ctx.settings.publicUrl);
    },
  }),
  route({
    method: "post",
    path: `${INVOICE}/archive`,
    operationId: "archiveInvoice",
    tags: ["Invoices"],
    summary: "Put an invoice away from the list; it is watched all the same",
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: invoiceAnswer,
    errors: [],
    async handle({ ctx, params: { storeId, invoiceId } }) {
      return presentInvoice(await archiveInvoice(ctx, storeId, invoiceId, true), ctx.settings.publicUrl);
    },
  }),
  route({
    method: "post",
    path: `${INVOICE}/unarchive`,
    operationId: "unarchiveInvoice",
    tags: ["Invoices"],
    summary: "Put an invoice back into the list",
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: invoiceAnswer,
    errors: [],
    async handle({ ctx, params: { storeId, invoiceId } }) {
      return presentInvoice(await archiveInvoice(ctx, storeId, invoiceId, false), ctx.settings.publicUrl);
    },
  }),
  route({
    method: "post",
    path: `${INVOICE}/erase`,
    operationId: "eraseInvoice",
    sudo: true,
    tags: ["Invoices"],
    summary: "Erase what an invoice knows of a customer",
    description:
      "For good: `metadata` but for `orderId`, `description`, `redirectUrl`, `refundAddress`, notes, the bodies of its events, which cannot be redelivered any more (`pruned`), and what receivers answered. Amounts, payments and status stay, and the invoice goes on; later events carry `orderId` alone. Refused with `delivery-in-progress` while one of its webhooks has yet to be sent. An answer kept for an `Idempotency-Key` goes within 24 hours of the creation.",
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: invoiceAnswer,
    errors: ["delivery-in-progress"],
    async handle({ ctx, params: { storeId, invoiceId } }) {
      return presentInvoice(await eraseInvoice(ctx, storeId, invoiceId), ctx.settings.publicUrl);
    },
  }),
  route({
    method: "post",
    path: `${INVOICE}/payment-methods/BTC-CHAIN/activate`,
    operationId: "activateOnchain",
    tags: ["Invoices"],
    summary: "Make sure that an invoice has its address",
    description:
      "An invoice of a store with `lazyAddresses` has no address (`not-activated`) until its page is first opened, or this is called. Calling it again changes nothing, and so it is where the address was given at creation. An invoice that is no longer open gets none: `invalid-transition`. `payment-method-unavailable`: the store has no wallet now, or one to whose addresses so small a price cannot be paid.",
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: invoiceAnswer,
    errors: ["payment-method-not-found", "invalid-transition", "payment-method-unavailable"],
    async handle({ ctx, params: { storeId, invoiceId } }) {
      const view = await activateOnchain(ctx, storeId, invoiceId);
      return presentInvoice(view, ctx.settings.publicUrl);
    },
  }),
  route({
    method: "get",
    path: `${INVOICE}/events`,
    operationId: "listInvoiceHistory",
    tags: ["Invoices"],
    summary: "List what happened to an invoice, newest first",
    description:
      "Its statuses with their reasons, its payments, the events that were written for webhooks, and edits by hand.",
    query: pageQuery,
    body: null,
    success: 200,
    answer: historyPage,
    errors: [],
    async handle({ ctx, params: { storeId, invoiceId }, query }) {
      return presentPage(await listInvoiceHistory(ctx, storeId, invoiceId, query), presentHistoryLine);
    },
  }),
];
