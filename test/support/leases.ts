import type { DataSource } from "typeorm";
import { acquireLeases, type Lease, LeaseLostError, renewLeases } from "../../database/lease";

/** One lease as a worker takes it; null while another holds it. */
export async function acquireLease(db: DataSource, name: string, holder: string): Promise<Lease | null> {
  return (await acquireLeases(db.manager, [name], holder))[0] ?? null;
}

/** @throws LeaseLostError */
export async function renewLease(db: DataSource, lease: Lease): Promise<void> {
  if (!(await renewLeases(db.manager, [lease])).has(lease.name))
    throw new LeaseLostError(`another process leads ${lease.name}`);
}
