import { batch, perDatabase } from "../../database/batch";
import { inTime } from "../../database/with-deadline";
import { onOneConnection, pipelined } from "../../database/pipelined";
import type { CommandContext } from "../context";
import { anythingWaits, lockLimits, readQueued, release, type Released } from "./release-queries";
import { inTransaction } from "../transaction";

/**
 * Lets be sent what the limits allow: after deliveries were written, for their webhooks, and after an attempt, for its
 * webhook and for others, since it has made room. Best effort, never throws: the sweep does the same.
 */
export async function releaseDeliveries(
  ctx: CommandContext,
  webhookIds: readonly string[] | ReadonlySet<string>,
): Promise<void> {
  try {
    // A dead session may hold the limits for seconds, which no customer waits for.
    const { added } = await inTime(releaserOf(ctx.db)({ ctx, webhookIds: [...webhookIds] }), WAIT_MS);
    await added;
  } catch {
    ctx.log.warn({}, "webhook: deliveries not released, left to the sweep");
  }
}

const WAIT_MS = 1_000;

interface Asked {
  ctx: CommandContext;
  webhookIds: readonly string[];
}

/** A single release runs, for all that ends or is written meanwhile. None waits for the queue of the one before it. */
const releaserOf = perDatabase((db) => {
  let place = "";
  return batch<Asked, { added: Promise<void> }>(async (asked) => {
    const [first] = asked;
    if (first === undefined) return [];
    const { ctx } = first;
    const webhookIds = [...new Set(asked.flatMap((each) => each.webhookIds))];
    const [now, { rows }] = await inTime(
      onOneConnection(db, (manager) => pipelined(ctx.now(manager), anythingWaits(manager, webhookIds))),
    );
    if (rows[0]?.waits !== true) return asked.map(() => ({ added: Promise.resolve() }));
    const { released, last } = await inTime(releaseFrom(ctx, { webhookIds, place, now }));
    place = last ?? "";
    const added = ctx.enqueue("webhook-delivery", released);
    return asked.map(() => ({ added }));
  });
});

async function releaseFrom(
  ctx: CommandContext,
  { webhookIds, place, now }: { webhookIds: readonly string[]; place: string; now: Date },
): Promise<{ released: Released[]; last: string | null }> {
  const { rows } = await inTransaction(ctx, async (tx) => {
    const [, answer] = await pipelined(lockLimits(tx.manager), release(tx.manager, webhookIds, place, now));
    return answer;
  });
  return rows[0] ?? { released: [], last: null };
}

/** The sweep: what may be sent and has lost its job, retries whose time has come, and what nobody released. Returns how many. */
export async function sweepDeliveries(ctx: CommandContext): Promise<number> {
  const { rows: queued } = await readQueued(ctx.db.manager);
  await ctx.enqueue("webhook-delivery", queued, { sweep: true });
  let count = queued.length;
  for (let place: string | null = ""; place !== null;) {
    const now = await ctx.now(ctx.db.manager);
    const { released, last }: Awaited<ReturnType<typeof releaseFrom>> = await releaseFrom(ctx, {
      webhookIds: [],
      place,
      now,
    });
    await ctx.enqueue("webhook-delivery", released);
    count += released.length;
    place = last;
  }
  return count;
}
