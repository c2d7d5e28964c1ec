import type { EntityManager } from "typeorm";

/** The Postgres channel on which changes are told. */
export const CHANGES_CHANNEL = "quittance_changes";

/** What changed, by ids alone: whoever hears of it reads the rest from the tables, as far as they may. */
export type Change =
  | { topic: "invoices"; storeId: string; invoiceId: string }
  | { topic: "deliveries"; storeId: string; invoiceId: string; webhookId: string; deliveryId: string }
  | { topic: "webhooks"; storeId: string; webhookId: string }
  /** `storeId` is null for an alert about the server. */
  | { topic: "alerts"; storeId: string | null; alertId: string }
  /** A block was processed: payments of all stores have more confirmations. */
  | { topic: "chain"; storeId: null; height: number };

/**
 * Tells every process that watches, when the caller's transaction commits and only then (docs/adr/0021). Nothing may
 * depend on it being heard: who was not connected is told nothing.
 */
export async function tellChanges(manager: EntityManager, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await manager.query("SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload", [
    CHANGES_CHANNEL,
    changes.map((change) => JSON.stringify(change)),
  ]);
}
