import { createInvoice } from "../../commands/invoices/create-invoice";
import { archiveInvoice, editInvoice } from "../../commands/invoices/edit-invoice";
import { listInvoicesBehind, SKIPPED_MAX } from "../../commands/invoices/list-invoices";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import { readInvoice, readInvoiceWithBolt11s } from "../../commands/invoices/read-invoice";
import { nativeFilter } from "../../domain/greenfield/status";
import { toNativeInvoice } from "./create-invoice";
import { withFieldsNamed } from "./errors";
import { invoiceAnswer, invoiceListAnswer, invoicePaymentMethodsAnswer } from "./invoice-answer";
import { createBody, listQuery, markBody, pluginMetadata, updateBody } from "./invoice-request";
import { presentInvoice, presentPaymentMethods } from "./present-invoice";
import { greenfieldRoute } from "./route";

const INVOICES = "/stores/:storeId/invoices";
const INVOICE = `${INVOICES}/:invoiceId` as const;

const CHECKOUT_FIELDS = {
  "/paymentMethods": "/checkout/paymentMethods",
  "/requiredConfirmations": "/checkout/speedPolicy",
};

const ofOne = { answer: invoiceAnswer } as const;

export const invoiceRoutes = [
  greenfieldRoute({
    method: "get",
    path: INVOICES,
    needs: "btcpay.store.canviewinvoices",
    query: listQuery(SKIPPED_MAX),
    answer: invoiceListAnswer,
    large: true,
    async handle({ ctx, params: { storeId }, query }) {
      const { status, textSearch, startDate, endDate, take, skip, includeArchived } = query;
      const orderId = query.orderId?.filter((id) => id !== "");
      if (orderId?.length === 0 || textSearch === "") return [];
      const filter = {
        orderId,
        q: textSearch,
        ...(status && nativeFilter(status)),
        createdFrom: startDate === undefined ? undefined : timeOf(startDate),
        // A native list ends before its last instant.
        createdTo: endDate === undefined ? undefined : timeOf(endDate + 1),
        archived: includeArchived ? null : false,
      };
      const views = await listInvoicesBehind(ctx, storeId, filter, { skip, take });
      return views.map((view) => presentInvoice(view, ctx.settings.publicUrl));
    },
  }),
  // A path may name no store but the key's.
  ...([INVOICE, "/invoices/:invoiceId"] as const).flatMap((path) => [
    greenfieldRoute({
      ...ofOne,
      method: "get",
      path,
      needs: "btcpay.store.canviewinvoices",
      async handle({ ctx, caller: { storeId }, params: { invoiceId } }) {
        return presentInvoice(await readInvoice(ctx, storeId, invoiceId), ctx.settings.publicUrl);
      },
    }),
    greenfieldRoute({
      ...ofOne,
      method: "get",
      path: `${path}/payment-methods` as const,
      needs: "btcpay.store.canviewinvoices",
      answer: invoicePaymentMethodsAnswer,
      async handle({ ctx, caller: { storeId }, params: { invoiceId } }) {
        return presentPaymentMethods(await readInvoiceWithBolt11s(ctx, storeId, invoiceId));
      },
    }),
  ]),
  greenfieldRoute({
    method: "post",
    path: INVOICES,
    needs: "btcpay.store.cancreateinvoice",
    body: createBody,
    answer: invoiceAnswer,
    async handle({ ctx, params: { storeId }, body, rawBody }) {
      const input = toNativeInvoice(body, rawBody);
      const view = await withFieldsNamed(CHECKOUT_FIELDS, () => createInvoice(ctx, storeId, input));
      return presentInvoice(view, ctx.settings.publicUrl);
    },
  }),
  greenfieldRoute({
    ...ofOne,
    method: "put",
    path: INVOICE,
    needs: "btcpay.store.canmodifyinvoices",
    body: updateBody,
    async handle({ ctx, params: { storeId, invoiceId }, body, rawBody }) {
      const edits = body.metadata && { newMetadataJson: pluginMetadata(rawBody, invoiceId) };
      return presentInvoice(await editInvoice(ctx, storeId, invoiceId, edits ?? {}), ctx.settings.publicUrl);
    },
  }),
  greenfieldRoute({
    ...ofOne,
    method: "delete",
    path: INVOICE,
    needs: "btcpay.store.canmodifyinvoices",
    async handle({ ctx, params: { storeId, invoiceId } }) {
      return presentInvoice(await archiveInvoice(ctx, storeId, invoiceId, true), ctx.settings.publicUrl);
    },
  }),
  greenfieldRoute({
    ...ofOne,
    method: "post",
    path: `${INVOICE}/unarchive`,
    needs: "btcpay.store.canmodifyinvoices",
    async handle({ ctx, params: { storeId, invoiceId } }) {
      return presentInvoice(await archiveInvoice(ctx, storeId, invoiceId, false), ctx.settings.publicUrl);
    },
  }),
  greenfieldRoute({
    ...ofOne,
    method: "post",
    path: `${INVOICE}/status`,
    needs: "btcpay.store.canmodifyinvoices",
    body: markBody,
    async handle({ ctx, params: { storeId, invoiceId }, body }) {
      return presentInvoice(await markInvoice(ctx, storeId, invoiceId, body), ctx.settings.publicUrl);
    },
  }),
];

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();
