import type { EntityManager } from "typeorm";

/** The Postgres channel on which changes are told. */
export const CHANGES_CHANNEL = "quittance_changes";

/** What changed, by ids alone: whoever hears of it reads the rest from the tables, as far as they may. */
export type Change = {
  /** Null for what concerns the whole server. */
  storeId: string | null;
} & (
  | { topic: "invoices"; invoiceId: string }
  | { topic: "deliveries"; invoiceId: string; webhookId: string; deliveryId: string }
  | { topic: "webhooks"; webhookId: string }
  | { topic: "alerts"; alertId: string }
);

/**
 * Tells every process that watches, when the caller's transaction commits and only then (docs/adr/0018). Nothing may
 * depend on it being heard: who was not connected is told nothing.
 */
export async function tellChange(manager: EntityManager, change: Change): Promise<void> {
  await manager.query("SELECT pg_notify($1, $2)", [CHANGES_CHANNEL, JSON.stringify(change)]);
}
