import { createHash } from "node:crypto";
import { checkInvoice } from "../../commands/invoices/check-invoice";
import { createInvoice } from "../../commands/invoices/create-invoice";
import { createInvoiceOnce } from "../../commands/invoices/create-invoice-once";
import { listInvoices } from "../../commands/invoices/list-invoices";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import { type InvoiceView, readInvoice } from "../../commands/invoices/read-invoice";
import { presentInvoice } from "./present";
import { RawJson, toJson } from "../http/json";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { createInvoiceBody, listInvoicesQuery, markInvoiceBody, metadataText } from "./request";
import { invoiceAnswer, invoicePage } from "./answer";
import { emptyBody } from "../http/schemas/text";

export const invoiceRoutes = [
  route({
    method: "post",
    path: "/stores/:storeId/invoices",
    operationId: "createInvoice",
    access: ["create-and-read-invoices"],
    sudo: false,
    tags: ["Invoices"],
    summary: "Create an invoice",
    body: createInvoiceBody,
    idempotent: true,
    success: 201,
    answer: invoiceAnswer,
    errors: ["rate-unavailable", "payment-method-unavailable", "idempotency-conflict"],
    async handle({ ctx, params: { storeId }, body, rawBody, idempotencyKey, setHeader }) {
      const { metadata, ...fields } = body;
      const input = { ...fields, ...(metadata && { metadataJson: metadataText(rawBody) }) };
      const present = (view: InvoiceView) => presentInvoice(view, ctx.settings.publicUrl);
      if (idempotencyKey === null) return present(await createInvoice(ctx, storeId, input));
      const { text, replayed } = await createInvoiceOnce(ctx, storeId, input, {
        key: idempotencyKey,
        requestHash: createHash("sha256").update(rawBody).digest(),
        render: (view) => toJson(present(view)),
      });
      if (replayed) setHeader("Idempotency-Replayed", "true");
      return new RawJson(text);
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/invoices",
    operationId: "listInvoices",
    access: ["create-and-read-invoices", "read"],
    tags: ["Invoices"],
    summary: "List invoices, newest first",
    query: listInvoicesQuery,
    answer: invoicePage,
    large: true,
    async handle({ ctx, params, query: { limit, cursor, ...filter } }) {
      const page = await listInvoices(ctx, params.storeId, filter, { limit, cursor });
      return presentPage(page, (view) => presentInvoice(view, ctx.settings.publicUrl));
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/invoices/:invoiceId",
    operationId: "readInvoice",
    access: ["create-and-read-invoices", "read"],
    tags: ["Invoices"],
    summary: "Read an invoice",
    answer: invoiceAnswer,
    async handle({ ctx, params: { storeId, invoiceId } }) {
      return presentInvoice(await readInvoice(ctx, storeId, invoiceId), ctx.settings.publicUrl);
    },
  }),
  route({
    method: "post",
    path: "/stores/:storeId/invoices/:invoiceId/status",
    operationId: "markInvoice",
    sudo: false,
    tags: ["Invoices"],
    summary: "Mark an invoice as settled or invalid by hand",
    body: markInvoiceBody,
    answer: invoiceAnswer,
    errors: ["invalid-transition", "limit-reached"],
    async handle({ ctx, params: { storeId, invoiceId }, body }) {
      return presentInvoice(await markInvoice(ctx, storeId, invoiceId, body), ctx.settings.publicUrl);
    },
  }),
  route({
    method: "post",
    path: "/stores/:storeId/invoices/:invoiceId/check",
    operationId: "checkInvoice",
    access: ["create-and-read-invoices"],
    sudo: false,
    tags: ["Invoices"],
    summary: "Check an invoice for payments now and update its status",
    body: emptyBody,
    answer: invoiceAnswer,
    async handle({ ctx, params: { storeId, invoiceId } }) {
      return presentInvoice(await checkInvoice(ctx, storeId, invoiceId), ctx.settings.publicUrl);
    },
  }),
];
