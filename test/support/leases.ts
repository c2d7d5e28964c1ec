import type { DataSource } from "typeorm";
import { acquireLeases, type Lease, LeaseLostError, renewLeases } from "../../database/lease";

/** One lease as a worker takes it; null while another holds it. */
export async function acquireLease(db: DataSource, name: string, holder: string): Promise<Lease | null> {
  return (await acquireLeases(db.manager, [name], holder))[0] ?? null;
}

/** One that nobody holds, for an hour. */
export async function longLease(db: DataSource, name: string): Promise<Lease> {
  const lease = await acquireLease(db, name, "test");
  if (lease === null) throw new Error(`another process leads ${name}`);
  await db.query("UPDATE leases SET expires_at = clock_timestamp() + interval '1 hour' WHERE name = $1", [
    name,
  ]);
  return lease;
}

/** @throws LeaseLostError */
export async function renewLease(db: DataSource, lease: Lease): Promise<void> {
  if (!(await renewLeases(db.manager, [lease])).has(lease.name))
    throw new LeaseLostError(`another process leads ${lease.name}`);
}
