import { exportLedger, listLedger, sumPayments } from "../../commands/payments/ledger";
import { exportRows } from "../http/export";
import { presentPage } from "../http/present-page";
import { route } from "../http/route";
import { ledgerExport, ledgerPage, ledgerSums } from "./answer";
import { LEDGER_COLUMNS, presentLine } from "./present";
import { exportPaymentsQuery, listPaymentsQuery, sumPaymentsQuery } from "./request";

/** Not for keys that only create and read invoices: refunds are recorded in reviews. */
export const paymentRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/payments",
    operationId: "listPayments",
    access: ["read"],
    tags: ["Payments"],
    summary: "List confirmed payments and recorded refunds, oldest first",
    description:
      "A payment that is not confirmed, or no longer, is in no book and not in this list. `exportPayments` returns the same lines as a file.",
    query: listPaymentsQuery,
    answer: ledgerPage,
    async handle({ ctx, params: { storeId }, query: { limit, cursor, ...days } }) {
      return presentPage(await listLedger(ctx, storeId, days, { limit, cursor }), presentLine);
    },
  }),
  route({
    method: "get",
    path: "/stores/:storeId/payments/summary",
    operationId: "sumPayments",
    access: ["read"],
    points: 5,
    tags: ["Payments"],
    summary: "Add up the payments and refunds of a range of days",
    query: sumPaymentsQuery,
    answer: ledgerSums,
    handle: async ({ ctx, params: { storeId }, query }) => sumPayments(ctx, storeId, query),
  }),
  route({
    method: "get",
    path: "/stores/:storeId/payments/export",
    operationId: "exportPayments",
    access: ["read"],
    tags: ["Payments"],
    summary: "Export confirmed payments and recorded refunds, oldest first",
    description:
      "For bookkeeping: a line for each payment and each refund, streamed. The columns of `csv` never change. Its limits are those of `exportInvoices`.",
    query: exportPaymentsQuery,
    answer: ledgerExport,
    alsoAs: "text/csv",
    async handle({ ctx, params: { storeId }, query: { format, ...days } }) {
      const file = { name: "payments", columns: LEDGER_COLUMNS, present: presentLine };
      return Promise.resolve(exportRows(exportLedger(ctx, storeId, days), format, file));
    },
  }),
];
