import { advanceConfirmations } from "../commands/chain/advance-confirmations";
import type { StartWorker } from "./worker";

export const startConfirmations: StartWorker = ({ ctx, queues, onFatal }) =>
  queues.startWorker(
    "confirmations",
    async ({ height }) => {
      const confirmed = await advanceConfirmations(ctx);
      return { kind: "done", reason: `${confirmed} payments confirmed at block ${height}` };
    },
    { concurrency: 1, onFatal },
  );
