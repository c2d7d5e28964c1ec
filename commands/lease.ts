import type { DataSource, EntityManager } from "typeorm";

/** The right to be the one process that does a singleton's work. `epoch` is its fence: it grows with every holder. */
export interface Lease {
  name: string;
  holder: string;
  epoch: string;
}

/** Somebody else leads, or may: stop, and write nothing. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

export const LEASE_VALID_SECONDS = 10;
export const LEASE_RENEW_MS = 3_000;

const POSTGRES_LOCK_NOT_AVAILABLE = "55P03";

/**
 * Takes the lease when it is free or has run out, by the database's clock; null while another holds it. A takeover
 * waits (shortly: it is tried again) for a transaction of the old leader that holds the row by `assertLease`.
 */
export async function acquireLease(db: DataSource, name: string, holder: string): Promise<Lease | null> {
  // Without a lock first: those who stand by must not disturb the leader every second.
  const [row] = await db.query<{ free: boolean }[]>(
    `SELECT expires_at <= clock_timestamp() AS free FROM leases WHERE name = $1`,
    [name],
  );
  if (row === undefined) {
    const born = await db.query<{ epoch: string }[]>(
      `INSERT INTO leases (name, holder, epoch, expires_at)
       VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 second')
       ON CONFLICT (name) DO NOTHING RETURNING epoch`,
      [name, holder, LEASE_VALID_SECONDS],
    );
    return born[0] ? { name, holder, epoch: born[0].epoch } : null;
  }
  return row.free ? takeOver(db, name, holder) : null;
}

async function takeOver(db: DataSource, name: string, holder: string): Promise<Lease | null> {
  try {
    return await db.transaction(async (manager) => {
      await manager.query(`SET LOCAL lock_timeout = '1s'`);
      // FOR UPDATE conflicts with the leader's FOR KEY SHARE; the UPDATE alone would not, as it changes no key.
      await manager.query(`SELECT 1 FROM leases WHERE name = $1 FOR UPDATE`, [name]);
      const [rows] = await manager.query<[{ epoch: string }[], number]>(
        `UPDATE leases SET holder = $2, epoch = epoch + 1, expires_at = clock_timestamp() + $3 * interval '1 second'
         WHERE name = $1 AND expires_at <= clock_timestamp() RETURNING epoch`,
        [name, holder, LEASE_VALID_SECONDS],
      );
      return rows[0] ? { name, holder, epoch: rows[0].epoch } : null;
    });
  } catch (error) {
    const { code } = (error as { driverError?: { code?: string } }).driverError ?? {};
    if (code === POSTGRES_LOCK_NOT_AVAILABLE) return null;
    throw error;
  }
}

/** @throws LeaseLostError when another took it over. */
export async function renewLease(db: DataSource, { name, epoch }: Lease): Promise<void> {
  const [, renewed] = await db.query<[unknown[], number]>(
    `UPDATE leases SET expires_at = clock_timestamp() + $3 * interval '1 second' WHERE name = $1 AND epoch = $2`,
    [name, epoch, LEASE_VALID_SECONDS],
  );
  if (renewed !== 1) throw new LeaseLostError(`another process leads ${name}`);
}

/** Lets another lead at once. Call it when nothing of ours is under way any more. */
export async function releaseLease(db: DataSource, { name, epoch }: Lease): Promise<void> {
  await db.query(`UPDATE leases SET expires_at = clock_timestamp() WHERE name = $1 AND epoch = $2`, [
    name,
    epoch,
  ]);
}

/**
 * The first statement of every transaction that a leader writes in. Whoever takes over waits until that transaction
 * has ended, so that a leader that was cut off cannot write behind its successor's back.
 * @throws LeaseLostError
 */
export async function assertLease(manager: EntityManager, { name, epoch }: Lease): Promise<void> {
  const held = await manager.query<unknown[]>(
    `SELECT 1 FROM leases WHERE name = $1 AND epoch = $2 AND expires_at > clock_timestamp() FOR KEY SHARE`,
    [name, epoch],
  );
  if (held.length === 0) throw new LeaseLostError(`the lease of ${name} has run out or another has it`);
}
