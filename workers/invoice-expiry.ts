import { DECIDED_AT_ONCE, makeDecide } from "./decide-together";
import type { StartWorker } from "./worker";

/** The job only wakes us: the database's clock says whether time is up, and the sweep comes again where it is not yet. */
export const startInvoiceExpiry: StartWorker = ({ ctx, queues, onFatal }) => {
  // One: a crowd whose time is up must not keep those from the database who are being paid.
  const decide = makeDecide(ctx, { transactionsAtOnce: 1 });
  return queues.startWorker("invoice-expiry", ({ invoiceId }) => decide(invoiceId), {
    concurrency: DECIDED_AT_ONCE,
    onFatal,
  });
};
