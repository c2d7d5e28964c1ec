import type { CommandContext } from "../context";
import { raiseAlert } from "../server/raise-alert";
import { inTransaction } from "../transaction";

/** Within the limit too: whoever sends that much may be filling the disk of all stores. */
export async function alertGrowth(ctx: CommandContext, storeId: string, kib: number): Promise<void> {
  await inTransaction(ctx, (tx) =>
    raiseAlert(tx, {
      kind: "store-growing",
      severity: "warning",
      subject: storeId,
      storeId,
      message: `This store has sent ${kib} KiB of large bodies to be kept within an hour, half of what it may. Find out which of its keys sends them, and delete it if that is not meant; check the size of the database.`,
    }),
  );
}
