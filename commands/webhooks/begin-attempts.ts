import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import type { AttemptCause, DeliveryState } from "../../domain/webhook/claim";
import { batch } from "../../database/batch";
import { inTime } from "../../database/in-time";
import { perDatabase } from "../../database/per-database";
import { beginAttempts, giveBackAttempts } from "./attempt-queries";

/** An attempt that was decided by a read without locks. */
export interface AttemptStart {
  /** Its endpoint's last attempt succeeded. */
  proven: boolean;
  deliveryId: string;
  webhookId: string;
  number: number;
  slot: number;
  cause: AttemptCause;
  /** When it was read: after a while it must be read again. */
  now: Date;
  headers: Readonly<Record<string, string>>;
  /** The delivery's state when it was read: the attempt begins only if that has not changed. */
  state: DeliveryState;
  requestedAttempt: number;
  /** A UUID of this beginning only: it distinguishes its row from those of other processes. */
  claim: string;
}

/** Attempts begun by one statement. */
const TOGETHER = 50;
const STATEMENTS_AT_ONCE = 2;
/** From the statement to the request. Together with the time of a request this is less than what counts as stuck. */
const SEND_WITHIN_MS = 4_000;

/**
 * Commits an attempt's row and marks its delivery `sending`, in one statement. False when another process was
 * faster: the number or the endpoint's slot is taken, or the delivery has changed, or was read too long ago to be
 * sure or to send. Simultaneous beginnings are committed together.
 */
export async function beginAttempt(db: DataSource, one: AttemptStart): Promise<boolean> {
  const { begun } = await (one.proven ? provenOf(db) : unprovenOf(db))(one);
  return (await begun).has(one);
}

/**
 * A batch that hangs soon makes room for others. Its callers wait until it ends, but send nothing any more: it may
 * be too late by then, or the answer was lost and it is uncertain whether it committed. The numbers of such
 * attempts are given back.
 */
const makeBeginner = (db: DataSource) =>
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
  );

/** Unproven ones may be hundreds in one moment, and hang: those to other endpoints are begun beside them. */
const provenOf = perDatabase(makeBeginner);
const unprovenOf = perDatabase(makeBeginner);

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
/** How long to wait for a database that is away; after that they stay marked as interrupted by the sweep. */
const GIVE_BACK_TRIES = 600;
/**
 * A server process whose connection broke may still be executing the statement, for as long as a statement may
 * take.
 */
const MAY_COMMIT_FOR_TRIES = 35;

/**
 * None of these attempts was sent, and none will be: their numbers may be used again. Their rows are identified by
 * their claims, so that what another process began meanwhile stays. Repeated until it succeeded after the last
 * moment at which the statement may have committed. Never rejects.
 */
async function giveBack(
  db: DataSource,
  each: readonly AttemptStart[],
  committed: Promise<unknown>,
): Promise<void> {
  let mayCommitFor = Infinity; // in tries
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
