import { decideByJob } from "../commands/invoices/decide-due-invoices";
import type { StartWorker } from "./worker";

/** As many as a look-up of all BOLT11s asks the Lightning node at a time. */
const CONCURRENCY = 20;

export const startInvoices: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker("invoices", ({ invoiceId }) => decideByJob(ctx, invoiceId), {
    concurrency: CONCURRENCY,
    onFatal,
  });
