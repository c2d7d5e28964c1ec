import { INVOICE_STATUSES, type InvoiceStatus } from "../domain/invoice/status";
import type { CommandContext } from "./context";
import { readServerInfo, type RailInfo } from "./read-server-info";

const DAYS = 30;

/** More failed deliveries than these are not counted. */
export const FAILED_COUNTED = 1_000;

export interface ReceivedDay {
  /** `2026-03-01`, in UTC. */
  day: string;
  onchainSats: bigint;
  lightningSats: bigint;
}

export interface WebhookHealth {
  webhookId: string;
  url: string;
  enabled: boolean;
  failureStreak: number;
  /** FAILED_COUNTED stands for that and more. */
  failedDeliveries: number;
}

/** A store at a glance. */
export interface StoreHome {
  days: number;
  /** What was confirmed on each of these days, the oldest first; days without payments too. */
  received: ReceivedDay[];
  /** Invoices that were made in these days, archived ones too. */
  invoices: Record<InvoiceStatus, number>;
  webhooks: WebhookHealth[];
  openAlerts: number;
  rails: RailInfo[];
}

/** Reads what a store's first page shows: all by indexes that begin with the store, none of it kept elsewhere (docs/adr/0022). */
export function readStoreHome(ctx: CommandContext, storeId: string): Promise<StoreHome> {
  return ctx.readElsewhere((db) => readHome({ ...ctx, db }, storeId));
}

async function readHome(ctx: CommandContext, storeId: string): Promise<StoreHome> {
  const now = await ctx.now(ctx.db.manager);
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const from = new Date(today - (DAYS - 1) * 86_400_000);
  const { rails } = await readServerInfo(ctx);
  return {
    days: DAYS,
    received: await received(ctx, storeId, from),
    invoices: await invoices(ctx, storeId, from),
    webhooks: await webhooks(ctx, storeId),
    openAlerts: await openAlerts(ctx, storeId),
    rails,
  };
}

/** Day by day, as its index has them: in one group Postgres would read the rows. */
async function received({ db }: CommandContext, storeId: string, from: Date): Promise<ReceivedDay[]> {
  const rows = await db.query<{ day: string; onchain: string; lightning: string }[]>(
    `SELECT to_char(days.day, 'YYYY-MM-DD') AS day, sums.onchain::text, sums.lightning::text
       FROM (SELECT ($2::timestamptz AT TIME ZONE 'UTC') + n * interval '1 day' AS day
               FROM generate_series(0, $3::int - 1) AS n) AS days
      CROSS JOIN LATERAL (
         SELECT coalesce(sum(amount_sats) FILTER (WHERE type = 'BTC-CHAIN'), 0) AS onchain,
                coalesce(sum(amount_sats) FILTER (WHERE type = 'BTC-LN'), 0) AS lightning
           FROM payments
          WHERE store_id = $1 AND state = 'confirmed' AND NOT below_dust
            AND confirmed_at >= days.day AT TIME ZONE 'UTC'
            AND confirmed_at < (days.day + interval '1 day') AT TIME ZONE 'UTC') AS sums
      ORDER BY days.day`,
    [storeId, from, DAYS],
  );
  return rows.map(({ day, onchain, lightning }) => ({
    day,
    onchainSats: BigInt(onchain),
    lightningSats: BigInt(lightning),
  }));
}

/** Status by status, as their index has them: in one group Postgres would read the rows. */
async function invoices(
  { db }: CommandContext,
  storeId: string,
  from: Date,
): Promise<Record<InvoiceStatus, number>> {
  const rows = await db.query<{ status: InvoiceStatus; count: number }[]>(
    `SELECT wanted.status, counted.count FROM unnest($3::text[]) AS wanted(status)
      CROSS JOIN LATERAL (
         SELECT count(*)::int AS count FROM invoices
          WHERE store_id = $1 AND invoices.status = wanted.status AND created_at >= $2) AS counted`,
    [storeId, from, INVOICE_STATUSES],
  );
  const counts = { New: 0, Processing: 0, Settled: 0, Expired: 0, Invalid: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}

async function webhooks({ db }: CommandContext, storeId: string): Promise<WebhookHealth[]> {
  return db.query<WebhookHealth[]>(
    `SELECT id AS "webhookId", url, enabled, failure_streak AS "failureStreak",
            (SELECT count(*)::int FROM (
               SELECT 1 FROM webhook_deliveries delivery
                WHERE delivery.webhook_id = webhook.id AND delivery.state = 'failed'
                LIMIT ${FAILED_COUNTED}) AS failed) AS "failedDeliveries"
       FROM webhooks webhook
      WHERE store_id = $1 AND deleted_at IS NULL
      ORDER BY created_at, id LIMIT 200`,
    [storeId],
  );
}

async function openAlerts({ db }: CommandContext, storeId: string): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    "SELECT count(*)::int AS count FROM alerts WHERE store_id = $1 AND resolved_at IS NULL",
    [storeId],
  );
  return row?.count ?? 0;
}
