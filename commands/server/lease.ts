import type { DataSource, EntityManager } from "typeorm";
import {
  createLease,
  endLease,
  holdLease,
  lockLease,
  readLease,
  prolongLease,
  takeLease,
  waitShortlyForLocks,
} from "./queries";

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

const POSTGRES_LOCK_NOT_AVAILABLE = "55P03";

/**
 * By the database's clock; null while another process holds it. Waits shortly for a transaction under `assertLease`.
 */
export async function acquireLease(db: DataSource, name: string, holder: string): Promise<Lease | null> {
  const {
    rows: [lease],
  } = await readLease(db.manager, name, LEASE_VALID_SECONDS);
  if (lease === undefined) {
    const {
      rows: [born],
    } = await createLease(db.manager, name, holder, LEASE_VALID_SECONDS);
    return born ? { name, holder, epoch: born.epoch } : null;
  }
  return lease.free ? takeOver(db, name, holder) : null;
}

async function takeOver(db: DataSource, name: string, holder: string): Promise<Lease | null> {
  try {
    return await db.transaction(async (manager) => {
      await waitShortlyForLocks(manager);
      await lockLease(manager, name);
      const {
        rows: [taken],
      } = await takeLease(manager, name, holder, LEASE_VALID_SECONDS);
      return taken ? { name, holder, epoch: taken.epoch } : null;
    });
  } catch (error) {
    const { code } = (error as { driverError?: { code?: string } }).driverError ?? {};
    if (code === POSTGRES_LOCK_NOT_AVAILABLE) return null;
    throw error;
  }
}

/** @throws LeaseLostError */
export async function renewLease(db: DataSource, { name, epoch }: Lease): Promise<void> {
  const { count } = await prolongLease(db.manager, name, epoch, LEASE_VALID_SECONDS);
  if (count !== 1) throw new LeaseLostError(`another process leads ${name}`);
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
