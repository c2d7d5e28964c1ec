import { batch, perDatabase } from "../../database/batch";
import { inTime } from "../../database/with-deadline";
import { onOneConnection, pipelined, transactionOf } from "../../database/pipelined";
import type { CommandContext } from "../context";
import { anythingWaits, lockLimits, readQueued, release, type Released } from "./release-queries";

/**
 * Lets be sent what the limits allow: of webhooks whose deliveries were changed, and of others after an attempt, since
 * it has made room. Best effort, never throws: the sweep does the same.
 */
export function releaseDeliveries(ctx: CommandContext, webhookIds: Iterable<string>): Promise<void> {
  return ask({ ctx, webhookIds: [...webhookIds], writtenAt: null });
}

/** After deliveries were written: something waits. */
export function releaseWritten(
  ctx: CommandContext,
  written: readonly { webhookId: string; at: Date }[],
): Promise<void> {
  const webhookIds = written.map(({ webhookId }) => webhookId);
  return ask({ ctx, webhookIds, writtenAt: written[0]?.at ?? null });
}

async function ask(asked: Asked): Promise<void> {
  const { ctx } = asked;
  try {
    if (asked.writtenAt === null) await underWayOf(ctx.db).lull();
    // A dead session may hold the limits for seconds, which no customer waits for.
    const { added } = await inTime(releaserOf(ctx.db)(asked), WAIT_MS);
    await added;
  } catch {
    ctx.log.warn({}, "webhook: deliveries not released, left to the sweep");
  }
}

const WAIT_MS = 1_000;
const LULL_MS = 5;

/** Attempts in this process. Those that end together make room together, for one release. */
export class UnderWay {
  private count = 0;
  private lasting: Promise<void> | null = null;
  private endLull = (): void => undefined;

  constructor(private readonly lullMs = LULL_MS) {}

  async attempt<T>(work: () => Promise<T>): Promise<T> {
    this.count += 1;
    try {
      return await work();
    } finally {
      this.count -= 1;
      if (this.count === 0) this.endLull();
    }
  }

  /** Until none is under way, for a moment at most. */
  lull(): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    this.lasting ??= new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.lullMs);
      this.endLull = () => {
        clearTimeout(timer);
        resolve();
      };
    }).finally(() => (this.lasting = null));
    return this.lasting;
  }
}

export const underWayOf = perDatabase(() => new UnderWay());

interface Asked {
  ctx: CommandContext;
  webhookIds: readonly string[];
  writtenAt: Date | null;
}

/** A single release runs, for all that ends or is written meanwhile. None waits for the queue of the one before it. */
const releaserOf = perDatabase(() => {
  let place = "";
  return batch<Asked, { added: Promise<void> }>(async (asked) => {
    const [first] = asked;
    if (first === undefined) return [];
    const { ctx } = first;
    const webhookIds = [...new Set(asked.flatMap((each) => each.webhookIds))];
    const now =
      asked.find(({ writtenAt }) => writtenAt !== null)?.writtenAt ?? (await askWaiting(ctx, webhookIds));
    if (now === null) return asked.map(() => ({ added: Promise.resolve() }));
    const { released, last } = await inTime(releaseFrom(ctx, { webhookIds, place, now }));
    place = last ?? "";
    const added = ctx.enqueue("webhook-delivery", released);
    return asked.map(() => ({ added }));
  });
});

/** The time if anything waits, or null. */
async function askWaiting({ db, now }: CommandContext, webhookIds: readonly string[]): Promise<Date | null> {
  const [time, { rows }] = await inTime(
    onOneConnection(db, (manager) => pipelined(now(manager), anythingWaits(manager, webhookIds))),
  );
  return rows[0]?.waits === true ? time : null;
}

async function releaseFrom(
  { db }: CommandContext,
  { webhookIds, place, now }: { webhookIds: readonly string[]; place: string; now: Date },
): Promise<{ released: Released[]; last: string | null }> {
  const [, { rows }] = await transactionOf(db, (manager) => [
    lockLimits(manager),
    release(manager, webhookIds, place, now),
  ]);
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
