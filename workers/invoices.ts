import { decideByJob } from "../commands/invoices/decide-due";
import type { StartWorker } from "./worker";

/** The same number as a look-up of all BOLT11s uses for the Lightning node. */
const CONCURRENCY = 20;

export const startInvoices: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker("invoices", ({ invoiceId }) => decideByJob(ctx, invoiceId), {
    concurrency: CONCURRENCY,
    onFatal,
  });
