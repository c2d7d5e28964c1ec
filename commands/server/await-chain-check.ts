import { setTimeout as sleep } from "node:timers/promises";
import { batch, perDatabase } from "../../database/batch";
import { inTime } from "../../database/with-deadline";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { notAhead } from "../../domain/invoice/expiry-hold";
import { isRecent } from "./queries";
import type { CommandContext } from "../context";

/** More than two checks: the second proves what the first read (ADR 0068). */
const WAIT_MAX_MS = 15_000;
const POLL_MS = 200;
const SILENT_SECONDS = 15;

/** All that wait in this process share a read. */
const nextStanding = perDatabase(() =>
  batch(async (waiting: readonly CommandContext[]) => {
    const [ctx] = waiting;
    if (ctx === undefined) return [];
    await sleep(POLL_MS);
    const standing = await inTime(readStanding(ctx));
    return waiting.map(() => standing);
  }),
);

/**
 * For a complete check that began after this call: then every payment that the node knew is recorded. False if the
 * watcher or its node is away. (bitcoind has no index of addresses.)
 */
export async function awaitChainCheck(ctx: CommandContext, waitMs = WAIT_MAX_MS): Promise<boolean> {
  const late = AbortSignal.timeout(waitMs);
  const askedAt = await ctx.now(ctx.db.manager);
  while (!late.aborted) {
    const { watched, caughtUpTo } = await nextStanding(ctx.db)(ctx);
    if (caughtUpTo !== null && caughtUpTo >= askedAt) return true;
    if (!watched) return false;
  }
  return false;
}

async function readStanding(ctx: CommandContext) {
  const sync = await ctx.db.manager
    .createQueryBuilder(PaymentMethodSync, "sync")
    .where("sync.type = 'BTC-CHAIN'")
    .andWhere(isRecent("sync.checkedAt", SILENT_SECONDS))
    .getOne();
  const now = await ctx.now(ctx.db.manager);
  return { watched: sync?.synchronized === true, caughtUpTo: notAhead(sync?.caughtUpTo ?? null, now) };
}
