import { decideJustDueInvoices } from "../commands/decide-due-invoices";
import type { StartWorker } from "./worker";

/** The job only wakes us: the database's clock says whose time is up, and the sweep comes again where it is not yet. */
export const startInvoiceExpiry: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker(
    "invoice-expiry",
    async (job) => {
      // An upgrade finds thousands, each of an invoice of its own.
      if (!("endOfSecond" in job))
        return { kind: "done", reason: "of an earlier version: left to the sweep" };
      return { kind: "done", reason: `${await decideJustDueInvoices(ctx)} were due` };
    },
    // A crowd whose time is up must not keep those from the database who are being paid.
    { concurrency: 1, onFatal },
  );
