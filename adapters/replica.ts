import { setTimeout as sleep } from "node:timers/promises";
import { type DataSource, QueryFailedError } from "typeorm";
import type { Log } from "../commands/ports";
import { DomainError } from "../domain/errors";
import { createDataSource, type DataSourceSettings } from "../entities/data-source";
import { isDatabaseOutage } from "./database-outage";
import { DeadlineError, withDeadline } from "./queues/deadline";

/** For a connection, and to receive what the primary had committed when it was asked. */
const CAUGHT_UP_WITHIN_MS = 1_000;
/** What takes longer is read from the primary. */
const READ_WITHIN_MS = 10_000;
/** One that was of no use is left alone for so long. */
const REST_MS = 5_000;

export interface ReplicaHealth {
  status: "ok" | "degraded";
  /** In words, without hosts. */
  reason?: string;
}

/** A streaming replica of the database, by which the primary need not do all the reading. */
export interface Replica {
  /**
   * Reads on the replica when that has all that the primary had committed before, so nothing is seen late; else, or when
   * it breaks off, on the primary.
   */
  read<T>(primary: DataSource, work: (db: DataSource) => Promise<T>): Promise<T>;
  /** Rejects only when the primary does not answer. */
  health(primary: DataSource): Promise<ReplicaHealth>;
  close(): Promise<void>;
}

/** It cannot be read from now. */
class OfNoUseError extends Error {
  override readonly name = "OfNoUseError";
}

/** How far a server has come, and which it is: a copy by streaming has its primary's identifiers. */
interface Place {
  lsn: string;
  cluster: string;
  database: string;
}

/** The primary is away: nothing can be read. */
class PrimaryAwayError extends Error {
  override readonly name = "PrimaryAwayError";
}

/**
 * All that is committed (but for what may be lost anyway, `synchronous_commit` off) is flushed.
 * @throws OfNoUseError where the server's functions may not be called; PrimaryAwayError
 */
async function placeOf(primary: DataSource): Promise<Place> {
  try {
    const [place] = await primary.query<[Place]>(
      `SELECT pg_current_wal_flush_lsn()::text AS lsn, system_identifier::text AS cluster,
              (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database
         FROM pg_control_system()`,
    );
    return place;
  } catch (cause) {
    if (cause instanceof QueryFailedError && !isDatabaseOutage(cause))
      throw new OfNoUseError(`The primary does not say how far it is (${cause.message}).`);
    throw new PrimaryAwayError("the database is away", { cause });
  }
}

/** @throws OfNoUseError */
async function waitFor(replica: DataSource, place: Place, late: () => boolean): Promise<void> {
  for (let pauseMs = 2; !late(); pauseMs *= 2) {
    const [row] = await replica.query<{ same: boolean; caughtUp: boolean | null }[]>(
      `SELECT system_identifier::text = $2 AND
                (SELECT oid::text FROM pg_database WHERE datname = current_database()) = $3 AS same,
              pg_last_wal_replay_lsn() >= $1::pg_lsn AS "caughtUp"
         FROM pg_control_system()`,
      [place.lsn, place.cluster, place.database],
    );
    if (row?.same !== true) throw new OfNoUseError("It is no streaming replica of this database.");
    if (row.caughtUp === null) throw new OfNoUseError("It is a primary, not a replica.");
    if (row.caughtUp) return;
    await sleep(pauseMs);
  }
  throw new OfNoUseError(`It is more than ${CAUGHT_UP_WITHIN_MS / 1_000} s behind.`);
}

/** What is known of it, and the connections that are used until they are given up. */
function makeConnections(settings: DataSourceSettings, log: Log) {
  let opened: Promise<DataSource> | null = null;
  let problem: string | null = null;
  let restUntil = 0;

  /** Its connections may hang for minutes: the next use begins with new ones. */
  function letGo(): Promise<void> {
    const gone = opened;
    opened = null;
    return Promise.resolve(gone)
      .then((db) => db?.destroy())
      .catch(() => undefined);
  }
  /** Unless others have begun anew since with better connections than those that were `used`. */
  function giveUp(used: Promise<DataSource> | null, error: unknown): void {
    if (opened !== used) return;
    const reason = error instanceof Error ? error.message : String(error);
    if (problem === null) log.warn({ reason }, "the read replica is of no use: the primary is read instead");
    problem = error instanceof OfNoUseError ? reason : "It does not answer.";
    restUntil = performance.now() + REST_MS;
    void letGo();
  }
  /** Null, with the problem told, when it cannot be read from now. Rejects when the primary does not answer. */
  async function usable(
    primary: DataSource,
  ): Promise<{ replica: DataSource; used: Promise<DataSource> } | null> {
    if (performance.now() < restUntil) return null;
    let used = opened;
    try {
      const place = await placeOf(primary);
      return await withDeadline(CAUGHT_UP_WITHIN_MS * 2, async (expired) => {
        opened ??= createDataSource(settings).initialize();
        used = opened;
        const replica = await used;
        const since = performance.now();
        await waitFor(replica, place, () => expired() || performance.now() - since > CAUGHT_UP_WITHIN_MS);
        if (opened === used && problem !== null) {
          log.info({}, "the read replica is read again");
          problem = null;
        }
        return { replica, used };
      });
    } catch (error) {
      if (error instanceof PrimaryAwayError) throw error.cause;
      giveUp(used, error);
      return null;
    }
  }

  return { usable, giveUp, letGo, problem: () => problem };
}

/** Connects when it is first needed. */
export function connectReplica(settings: DataSourceSettings, log: Log): Replica {
  const connections = makeConnections(settings, log);
  return {
    async read(primary, work) {
      const found = await connections.usable(primary);
      if (found === null) return work(primary);
      const { replica, used } = found;
      try {
        return await withDeadline(READ_WITHIN_MS, () => work(replica));
      } catch (error) {
        if (error instanceof DomainError) throw error;
        // What fails by itself is no reason to break off the others' reads.
        if (error instanceof DeadlineError || isDatabaseOutage(error)) connections.giveUp(used, error);
        return work(primary);
      }
    },
    async health(primary) {
      await connections.usable(primary);
      const problem = connections.problem();
      return problem === null ? { status: "ok" } : { status: "degraded", reason: problem };
    },
    close: connections.letGo,
  };
}
