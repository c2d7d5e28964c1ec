import { decideInvoice } from "../commands/tend-lightning";
import type { StartWorker } from "./worker";

const CONCURRENCY = 4;

export const startInvoices: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker(
    "invoices",
    async ({ invoiceId }) => {
      const moves = await decideInvoice(ctx, invoiceId);
      return { kind: "done", reason: `${moves.length} moves` };
    },
    { concurrency: CONCURRENCY, onFatal },
  );
