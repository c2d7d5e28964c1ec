import { setTimeout as sleep } from "node:timers/promises";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { notAhead } from "../../domain/invoice/expiry-hold";
import type { CommandContext } from "../context";

/** A little more than chain-watch takes from one complete check to the next. */
const WAIT_MAX_MS = 8_000;
const POLL_MS = 200;
/** A watcher that was silent for longer is not waited for. */
const SILENT_SECONDS = 15;

/**
 * Waits until chain-watch has finished a complete check of mempool and chain that began after this call: then every
 * payment that the node knew at that time is recorded. False when that does not happen soon, because the watcher or
 * its node is away. (bitcoind has no index of addresses, so one invoice's payments cannot be queried faster.)
 */
export async function awaitChainCheck(ctx: CommandContext, waitMs = WAIT_MAX_MS): Promise<boolean> {
  const askedAt = await ctx.now(ctx.db.manager);
  for (let waited = 0; ; waited += POLL_MS) {
    const sync = await ctx.db.manager
      .createQueryBuilder(PaymentMethodSync, "sync")
      .where("sync.type = 'BTC-CHAIN'")
      .andWhere(`sync.checkedAt > clock_timestamp() - ${SILENT_SECONDS} * interval '1 second'`)
      .getOne();
    const now = await ctx.now(ctx.db.manager);
    const caughtUpTo = notAhead(sync?.caughtUpTo ?? null, now);
    if (caughtUpTo !== null && caughtUpTo >= askedAt) return true;
    if (sync === null || !sync.synchronized || waited >= waitMs) return false;
    await sleep(POLL_MS);
  }
}
