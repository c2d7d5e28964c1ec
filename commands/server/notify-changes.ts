import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { batch, perDatabase } from "../../database/batch";
import { inTime } from "../../database/with-deadline";
import type { CommandContext } from "../context";
import { notifyAll } from "./queries";

export const CHANGES_CHANNEL = "quittance_changes";

/** Ids only: readers load what they may see. */
export type Change =
  | { topic: "invoices"; storeId: string; invoiceId: string }
  | { topic: "deliveries"; storeId: string; invoiceId: string; webhookId: string; deliveryId: string }
  | { topic: "webhooks"; storeId: string; webhookId: string }
  /** Null: about the server. */
  | { topic: "alerts"; storeId: string | null; alertId: string }
  /** Payments of all stores have more confirmations. */
  | { topic: "chain"; storeId: null; height: number };

/** Readers delay their reaction for longer than this. */
const BATCH_MS = 20;

const publisherOf = perDatabase((db) =>
  batch<readonly string[], undefined>(async (texts) => {
    await notify(db, [...new Set(texts.flat())]);
    await sleep(BATCH_MS, undefined, { ref: false });
    return [];
  }),
);

/** After the commit (docs/adr/0021). Best effort, and not awaited: nothing may depend on it. */
export function notifyChanges({ db }: CommandContext, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  void publisherOf(db)(changes.map((change) => JSON.stringify(change)));
}

async function notify(db: DataSource, texts: readonly string[]): Promise<void> {
  try {
    await inTime(notifyAll(db.manager, CHANGES_CHANNEL, texts));
  } catch {
    // Pages load everything again when they reconnect.
  }
}
