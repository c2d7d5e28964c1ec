import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource, EntityManager } from "typeorm";
import { batch } from "../../database/batch";
import { afterCommit } from "../../database/after-commit";
import { inTime } from "../../database/in-time";
import { perDatabase } from "../../database/per-database";
import { notifyAll } from "./queries";

/** The Postgres channel on which changes are published. */
export const CHANGES_CHANNEL = "quittance_changes";

/** What changed, by ids only: readers load the rest from the tables, as far as they are allowed to. */
export type Change =
  | { topic: "invoices"; storeId: string; invoiceId: string }
  | { topic: "deliveries"; storeId: string; invoiceId: string; webhookId: string; deliveryId: string }
  | { topic: "webhooks"; storeId: string; webhookId: string }
  /** `storeId` is null for an alert about the server. */
  | { topic: "alerts"; storeId: string | null; alertId: string }
  /** A block was processed: payments of all stores have more confirmations. */
  | { topic: "chain"; storeId: null; height: number };

/** Changes within this time are published together. Readers delay their reaction for longer than this. */
const BATCH_MS = 20;

const publisherOf = perDatabase((db) =>
  batch<readonly string[], undefined>(async (texts) => {
    await notify(db, [...new Set(texts.flat())]);
    await sleep(BATCH_MS, undefined, { ref: false });
    return [];
  }),
);

/**
 * Notifies every watching process, only after the caller's transaction has committed (docs/adr/0021, 0029). Nothing
 * may depend on it: a process that is not connected receives nothing, and no process does if this one dies first.
 */
export async function notifyChanges(manager: EntityManager, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const publish = publisherOf(manager.dataSource);
  const texts = changes.map((change) => JSON.stringify(change));
  afterCommit(manager, () => void publish(texts));
}

async function notify(db: DataSource, texts: readonly string[]): Promise<void> {
  try {
    await inTime(notifyAll(db.manager, CHANGES_CHANNEL, texts));
  } catch {
    // The database is away, or the process ends: pages load everything again when they reconnect.
  }
}
