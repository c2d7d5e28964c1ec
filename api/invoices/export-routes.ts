import { exportInvoices } from "../../commands/invoices/list-invoices";
import { presentExport } from "./present-export";
import { route } from "../http/route";
import { exportInvoicesQuery } from "./request";
import { invoiceExport } from "./answer";

/** Before the routes of a single invoice, whose pattern its path would match too. */
export const invoiceExportRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/invoices/export",
    operationId: "exportInvoices",
    tags: ["Invoices"],
    summary: "Export invoices with their payments, rates and times, newest first",
    description: [
      "All invoices that match, however many: the answer is made while it is read. One that breaks off ends the connection without the end of the body.",
      "`csv` has a line an invoice (RFC 4180, a header line, every cell in quotes). The payment columns hold a word a payment, in the same order, `-` where there is no time yet. Where a text would start a formula in a spreadsheet, an apostrophe stands before it. Metadata are in `json` alone.",
      "A store has two exports at a time; a third is refused with `rate-limited`. One of which nothing is read for 15 s is cut off.",
    ].join("\n\n"),
    query: exportInvoicesQuery,
    body: null,
    success: 200,
    answer: invoiceExport,
    alsoAs: "text/csv",
    errors: [],
    async handle({ ctx, params: { storeId }, query: { format, ...filter } }) {
      return Promise.resolve(
        presentExport(exportInvoices(ctx, storeId, filter), format, ctx.settings.publicUrl),
      );
    },
  }),
];
