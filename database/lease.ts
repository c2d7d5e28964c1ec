import type { DataSource, EntityManager } from "typeorm";
import { statement } from "./statement";

/** SQL: nobody holds it. A lease that expires much later than one renewed now is of a clock that was ahead. */
const isFree = (validSeconds: string): string =>
  `expires_at NOT BETWEEN clock_timestamp() AND clock_timestamp() + 2 * ${validSeconds} * interval '1 second'`;

/** Without a lock: standby processes must not disturb the leader every second. */
const readFreeLeases = statement<[names: readonly string[], validSeconds: number], { name: string }>(
  "lease.read-free-leases",
  `SELECT wanted.name FROM unnest($1::text[]) AS wanted (name) LEFT JOIN leases ON leases.name = wanted.name
    WHERE leases.name IS NULL OR ${isFree("$2")}`,
  "each time",
);

/** Epoch 0 was never led. */
const createLeases = statement<[names: readonly string[]]>(
  "lease.create-leases",
  `INSERT INTO leases (name, holder, epoch, expires_at) SELECT name, '', 0, '-infinity' FROM unnest($1::text[]) AS name
   ON CONFLICT (name) DO NOTHING`,
  "each time",
);

/**
 * FOR UPDATE conflicts with the leader's FOR KEY SHARE, as an UPDATE would not. A lease whose holder is still writing is
 * left for the next time.
 */
const takeLeases = statement<
  [names: readonly string[], holder: string, validSeconds: number],
  { name: string; epoch: string }
>(
  "lease.take-leases",
  `WITH free AS MATERIALIZED (SELECT name FROM leases WHERE name = ANY($1::text[]) AND ${isFree("$3")}
                              ORDER BY name FOR UPDATE SKIP LOCKED)
   UPDATE leases SET holder = $2, epoch = epoch + 1, expires_at = clock_timestamp() + $3 * interval '1 second'
     FROM free WHERE leases.name = free.name RETURNING leases.name, leases.epoch`,
  "each time",
);

const prolongLeases = statement<
  [names: readonly string[], epochs: readonly string[], validSeconds: number],
  { name: string }
>(
  "lease.prolong-leases",
  `UPDATE leases SET expires_at = clock_timestamp() + $3 * interval '1 second'
     FROM unnest($1::text[], $2::bigint[]) AS held (name, epoch)
    WHERE leases.name = held.name AND leases.epoch = held.epoch RETURNING leases.name`,
  "each time",
);

const endLease = statement<[name: string, epoch: string]>(
  "lease.end-lease",
  "UPDATE leases SET expires_at = clock_timestamp() WHERE name = $1 AND epoch = $2",
);

const holdLease = statement<[name: string, epoch: string], unknown>(
  "lease.hold-lease",
  "SELECT 1 FROM leases WHERE name = $1 AND epoch = $2 AND expires_at > clock_timestamp() FOR KEY SHARE",
);

/** `epoch` is its fence: it grows with every holder. */
export interface Lease {
  name: string;
  holder: string;
  epoch: string;
}

/** Another process leads, or may: stop, and write nothing. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

export const LEASE_VALID_SECONDS = 10;
export const LEASE_RENEW_MS = 3_000;

/** Takes what no process holds, by the database's clock. */
export async function acquireLeases(
  manager: EntityManager,
  names: readonly string[],
  holder: string,
): Promise<Lease[]> {
  const free = (await readFreeLeases(manager, names, LEASE_VALID_SECONDS)).rows.map(({ name }) => name);
  if (free.length === 0) return [];
  await createLeases(manager, free);
  const { rows } = await takeLeases(manager, free, holder, LEASE_VALID_SECONDS);
  return rows.map(({ name, epoch }) => ({ name, holder, epoch }));
}

/** Returns the names of those that are still held. */
export async function renewLeases(manager: EntityManager, leases: readonly Lease[]): Promise<Set<string>> {
  const { rows } = await prolongLeases(
    manager,
    leases.map(({ name }) => name),
    leases.map(({ epoch }) => epoch),
    LEASE_VALID_SECONDS,
  );
  return new Set(rows.map(({ name }) => name));
}

/** When no work under the lease is in progress. */
export async function releaseLease(db: DataSource, { name, epoch }: Lease): Promise<void> {
  await endLease(db.manager, name, epoch);
}

/** First in every transaction in which a leader writes: a successor waits until it has ended. @throws LeaseLostError */
export async function assertLease(manager: EntityManager, { name, epoch }: Lease): Promise<void> {
  const { count } = await holdLease(manager, name, epoch);
  if (count === 0) throw new LeaseLostError(`the lease of ${name} has run out or another has it`);
}
