import type { DataSource, EntityManager } from "typeorm";
import { createLeases, endLease, holdLease, prolongLeases, readFreeLeases, takeLeases } from "./queries";

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
  db: DataSource,
  names: readonly string[],
  holder: string,
): Promise<Lease[]> {
  const free = (await readFreeLeases(db.manager, names, LEASE_VALID_SECONDS)).rows.map(({ name }) => name);
  if (free.length === 0) return [];
  await createLeases(db.manager, free);
  const { rows } = await takeLeases(db.manager, free, holder, LEASE_VALID_SECONDS);
  return rows.map(({ name, epoch }) => ({ name, holder, epoch }));
}

/** Returns the names of those that are still held. */
export async function renewLeases(db: DataSource, leases: readonly Lease[]): Promise<Set<string>> {
  const { rows } = await prolongLeases(
    db.manager,
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
