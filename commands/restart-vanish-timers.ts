import { assertLease } from "./lease";
import type { ChainWatch } from "./watch";

/** Longer than a restart of a watcher takes, shorter than anything that lets a payment vanish. */
const BLIND_AFTER_SECONDS = 60;

/**
 * Ten minutes of refusal or of a rival in the mempool make a payment vanish, but only minutes in which the node was
 * looked at: while it was away nothing vanishes. So after a blind time the clocks of live payments begin anew.
 * @throws LeaseLostError
 */
export async function restartVanishTimers({ ctx, lease }: ChainWatch, lookedAt: Date): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    await manager.query(
      `UPDATE payments SET missing_since = NULL,
              conflict_since = CASE WHEN conflict_since IS NULL THEN NULL ELSE $1::timestamptz END
         FROM rails
        WHERE rails.type = 'BTC-CHAIN'
          AND rails.caught_up_to < $1::timestamptz - ${BLIND_AFTER_SECONDS} * interval '1 second'
          AND payments.type = 'BTC-CHAIN' AND block_height IS NULL AND state IN ('pending', 'confirmed')
          AND (missing_since IS NOT NULL OR conflict_since IS NOT NULL)`,
      [lookedAt],
    );
  });
}
