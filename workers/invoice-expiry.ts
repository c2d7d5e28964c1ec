import { decideDue } from "../commands/invoices/decide-due";
import type { StartWorker } from "./worker";

/**
 * The job only wakes the worker: the database's clock says which invoices are due, and the sweep finds those that
 * are not due yet.
 */
export const startInvoiceExpiry: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker(
    "invoice-expiry",
    async ({ invoiceId }) => {
      await decideDue(ctx, invoiceId);
      return { kind: "done", reason: "decided if it was due" };
    },
    // Many due invoices must not keep the database from those that are being paid.
    { concurrency: 1, onFatal },
  );
