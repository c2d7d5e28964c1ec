import { exportInvoices } from "../../commands/invoices/list-invoices";
import { INVOICE_COLUMNS } from "./export-columns";
import { presentInvoice } from "./present";
import { exportRows } from "../http/export";
import { route } from "../http/route";
import { exportInvoicesQuery } from "./request";
import { invoiceExport } from "./answer";

/** Before the routes of a single invoice, whose pattern matches too. */
export const invoiceExportRoutes = [
  route({
    method: "get",
    path: "/stores/:storeId/invoices/export",
    operationId: "exportInvoices",
    access: ["create-and-read-invoices", "read"],
    tags: ["Invoices"],
    summary: "Export invoices with their payments, rates and times, newest first",
    description: [
      "Returns all matching invoices, however many: the response is streamed. If the export fails midway, the connection closes before the body is complete.",
      "`csv` has one line for each invoice (RFC 4180, with a header line, every cell quoted). The payment columns have one value for each payment, each separated by one space and in the same order, and nothing for a time that is not known yet. A text that a spreadsheet would take for a formula is prefixed with an apostrophe. Metadata is only in `json`.",
      "A store can run two exports at a time; a third is refused with `rate-limited`. An export of which nothing is read for 40 s is disconnected.",
    ].join("\n\n"),
    query: exportInvoicesQuery,
    answer: invoiceExport,
    alsoAs: "text/csv",
    async handle({ ctx, params: { storeId }, query: { format, ...filter } }) {
      return Promise.resolve(
        exportRows(exportInvoices(ctx, storeId, filter), format, {
          name: "invoices",
          columns: INVOICE_COLUMNS,
          present: (view) => presentInvoice(view, ctx.settings.publicUrl),
        }),
      );
    },
  }),
];
