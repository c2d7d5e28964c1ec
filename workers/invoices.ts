import { DECIDED_AT_ONCE, makeDecide } from "./decide-together";
import type { StartWorker } from "./worker";

export const startInvoices: StartWorker = ({ ctx, queues, onFatal }) => {
  const decide = makeDecide(ctx, { transactionsAtOnce: 2 });
  return queues.startWorker("invoices", ({ invoiceId }) => decide(invoiceId), {
    concurrency: DECIDED_AT_ONCE,
    onFatal,
  });
};
