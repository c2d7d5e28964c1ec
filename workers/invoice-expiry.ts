import { decideDueInvoice } from "../commands/invoices/decide-due-invoices";
import type { StartWorker } from "./worker";

/** The job only wakes us: the database's clock says whose time is up, and the sweep comes again where it is not yet. */
export const startInvoiceExpiry: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker(
    "invoice-expiry",
    async ({ invoiceId }) => {
      await decideDueInvoice(ctx, invoiceId);
      return { kind: "done", reason: "decided if it was due" };
    },
    // Many due invoices must not take the database from those that are being paid.
    { concurrency: 1, onFatal },
  );
