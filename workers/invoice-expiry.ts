import { decideInvoice } from "../commands/tend-lightning";
import type { StartWorker } from "./worker";

const CONCURRENCY = 4;

/** The job only wakes us: the database's clock says whether time is up, and the sweep comes again where it is not yet. */
export const startInvoiceExpiry: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker(
    "invoice-expiry",
    async ({ invoiceId }) => {
      const moves = await decideInvoice(ctx, invoiceId);
      return { kind: "done", reason: `${moves.length} moves` };
    },
    { concurrency: CONCURRENCY, onFatal },
  );
