import { activateOnchain } from "../../commands/invoices/give-address";
import { archiveInvoice, editInvoice } from "../../commands/invoices/edit-invoice";
import { eraseInvoice } from "../../commands/invoices/erase-invoice";
import { listInvoiceHistory } from "../../commands/invoices/list-invoice-history";
import { presentHistoryLine } from "./present-history";
import { presentInvoice } from "./present";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { historyPage } from "./history-answer";
import { editInvoiceBody, metadataText } from "./request";
import { invoiceAnswer } from "./answer";
import { pageQuery } from "../http/schemas/page";
import { emptyBody } from "../http/schemas/text";

const INVOICE = "/stores/:storeId/invoices/:invoiceId";

const archiving = (way: "archive" | "unarchive", summary: string) =>
  route({
    method: "post",
    path: `${INVOICE}/${way}`,
    operationId: `${way}Invoice`,
    sudo: false,
    tags: ["Invoices"],
    summary,
    body: emptyBody,
    answer: invoiceAnswer,
    errors: ["limit-reached"],
    async handle({ ctx, params: { storeId, invoiceId } }) {
      const view = await archiveInvoice(ctx, storeId, invoiceId, way === "archive");
      return presentInvoice(view, ctx.settings.publicUrl);
    },
  });

export const invoiceChangeRoutes = [
  route({
    method: "patch",
    path: INVOICE,
    operationId: "editInvoice",
    sudo: false,
    tags: ["Invoices"],
    summary: "Change an invoice's metadata and redirect URL, or clear its refund address",
    description:
      "The fields of `metadata` are merged into the invoice's metadata; `null` removes a field, and all other fields stay exactly as they were sent. `orderId` cannot be changed. `refundAddress: null` lets the customer leave another address. Events that already exist keep their metadata.",
    body: editInvoiceBody,
    answer: invoiceAnswer,
    errors: ["limit-reached"],
    async handle({ ctx, params: { storeId, invoiceId }, body, rawBody }) {
      const { metadata, ...edits } = body;
      const view = await editInvoice(ctx, storeId, invoiceId, {
        ...edits,
        ...(metadata && { metadataJson: metadataText(rawBody) }),
      });
      return presentInvoice(view, ctx.settings.publicUrl);
    },
  }),
  archiving("archive", "Archive an invoice; payments to it are still detected"),
  archiving("unarchive", "Restore an archived invoice"),
  route({
    method: "post",
    path: `${INVOICE}/erase`,
    operationId: "eraseInvoice",
    sudo: true,
    tags: ["Invoices"],
    summary: "Erase a customer's data from an invoice",
    description:
      "Permanently erases `metadata` except `orderId`, `description`, `redirectUrl`, `refundAddress`, notes, the bodies of its events, which can then no longer be redelivered (`pruned`), and receivers' responses. Amounts, payments and status remain, and the invoice continues; later events have only `orderId` in their metadata. Refused with `delivery-in-progress` while one of its webhooks has yet to be sent. The response stored for an `Idempotency-Key` is deleted within 24 hours of the creation.",
    body: emptyBody,
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
    access: ["create-and-read-invoices"],
    sudo: false,
    tags: ["Invoices"],
    summary: "Activate an invoice's on-chain address",
    description:
      "An invoice of a store with `lazyAddresses` has no address (`not-activated`) until its checkout is first opened or this endpoint is called. The call changes nothing if the invoice already has an address. An invoice that is no longer open gets none (`invalid-transition`). `payment-method-unavailable`: the store has no wallet at present, or the price is too small to be paid to one of its addresses.",
    body: emptyBody,
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
    access: ["create-and-read-invoices", "read"],
    tags: ["Invoices"],
    summary: "List an invoice's history, newest first",
    description:
      "The invoice's status changes with their reasons, its payments, the events created for webhooks, and edits by hand.",
    query: pageQuery,
    answer: historyPage,
    large: true,
    async handle({ ctx, params: { storeId, invoiceId }, query }) {
      return presentPage(await listInvoiceHistory(ctx, storeId, invoiceId, query), presentHistoryLine);
    },
  }),
];
