import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import type { AttemptCause, DeliveryState } from "../../domain/webhook/claim";
import { batch } from "../../database/batch";
import { inTime } from "../../database/in-time";
import { perDatabase } from "../../database/per-database";
import { beginAttempts, giveBackAttempts } from "./attempt-queries";

/** An attempt that was decided by a look without locks. */
export interface AttemptStart {
  deliveryId: string;
  webhookId: string;
  number: number;
  slot: number;
  cause: AttemptCause;
  /** When it was looked at: what is older is looked at again. */
  now: Date;
  headers: Readonly<Record<string, string>>;
  /** The delivery as it was seen: it begins only if it is so still. */
  state: DeliveryState;
  requestedAttempt: number;
  /** A UUID of this beginning alone: whoever has it can tell its row from one that another process made. */
  claim: string;
}

/** Of one statement. */
const TOGETHER = 50;
const STATEMENTS_AT_ONCE = 2;
/** From the statement to the request. With the 10 s of a request it stays below what counts as stuck. */
const SEND_WITHIN_MS = 4_000;

/**
 * Commits an attempt's row and calls its delivery `sending`, in one statement. False when somebody was faster: the
 * number or the endpoint's slot is taken, or the delivery is not any more what it was, or when that is too long ago to
 * be sure or to send. Those that begin meanwhile are committed together.
 */
export async function beginAttempt(db: DataSource, one: AttemptStart): Promise<boolean> {
  const { begun } = await beginnerOf(db)(one);
  return (await begun).has(one);
}

/**
 * What hangs makes room for others soon. Whoever asked waits until it ends, but sends nothing any more: it may be too late
 * by then, or the answer was lost and nobody knows whether it is committed. Such attempts are given back.
 */
const beginnerOf = perDatabase((db) =>
  batch<AttemptStart, { begun: Promise<Set<AttemptStart>> }>(
    async (asked) => {
      const committed = commit(db, asked);
      const soon = inTime(committed, SEND_WITHIN_MS);
      const begun = soon.catch(async () => {
        const givenBack = giveBack(db, asked, committed);
        await committed;
        await inTime(givenBack);
        return new Set<AttemptStart>();
      });
      await soon.catch(() => undefined);
      return asked.map(() => ({ begun }));
    },
    { runsAtOnce: STATEMENTS_AT_ONCE, atMost: TOGETHER },
  ),
);

async function commit(db: DataSource, asked: readonly AttemptStart[]): Promise<Set<AttemptStart>> {
  const first = new Map<string, AttemptStart>();
  for (const one of asked) if (!first.has(one.deliveryId)) first.set(one.deliveryId, one);
  const each = [...first.values()];
  const { rows: begun } = await beginAttempts(
    db.manager,
    each.map(({ deliveryId }) => deliveryId),
    each.map(({ webhookId }) => webhookId),
    each.map(({ number }) => number),
    each.map(({ slot }) => slot),
    each.map(({ cause }) => cause),
    each.map(({ now }) => now),
    each.map(({ headers }) => JSON.stringify(headers)),
    each.map(({ state }) => state),
    each.map(({ requestedAttempt }) => requestedAttempt),
    each.map(({ claim }) => claim),
  );
  const ids = new Set(begun.map(({ deliveryId }) => deliveryId));
  return new Set(each.filter(({ deliveryId }) => ids.has(deliveryId)));
}

const GIVE_BACK_EVERY_MS = 1_000;
/** For so long a database that is away is waited for; then the sweep's word stands, that they were interrupted. */
const GIVE_BACK_TRIES = 600;
/** A server whose connection broke may still be at the statement, for as long as one may take. */
const MAY_COMMIT_FOR_TRIES = 35;

/**
 * None of these was sent, and none will be: their numbers may go out again. Their rows are known by their claims, so that
 * what another process began meanwhile stays. Repeated until it was done after the last moment at which the statement may
 * have committed. Never rejects.
 */
async function giveBack(
  db: DataSource,
  each: readonly AttemptStart[],
  committed: Promise<unknown>,
): Promise<void> {
  let mayCommitFor = Infinity; // tries
  const ended = committed.then(
    () => (mayCommitFor = 0),
    () => (mayCommitFor = MAY_COMMIT_FOR_TRIES),
  );
  for (let tries = 0; tries < GIVE_BACK_TRIES && db.isInitialized; tries += 1, mayCommitFor -= 1) {
    const last = mayCommitFor <= 0;
    const done = await giveBackAttempts(
      db.manager,
      each.map(({ deliveryId }) => deliveryId),
      each.map(({ number }) => number),
      each.map(({ claim }) => claim),
    ).then(
      () => true,
      () => false,
    );
    if (done && last) return;
    const pause = sleep(GIVE_BACK_EVERY_MS, undefined, { ref: false });
    await (mayCommitFor === Infinity ? Promise.race([pause, ended]) : pause);
  }
}
