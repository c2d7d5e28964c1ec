import { IsNull } from "typeorm";
import { INVOICE_STATUSES, type InvoiceStatus } from "../../domain/invoice/status";
import { addDays, type Calendar, type Day } from "../../domain/time-zone";
import { Alert } from "../../entities/alert";
import type { CommandContext } from "../context";
import { countOpenReviews } from "../reviews/list-reviews";
import { sumReceivedIn } from "../reports/queries";
import { readCalendar } from "../../database/rows";
import { countInvoices, readWebhookHealth, type WebhookHealth } from "./queries";

const DAYS = 30;

export interface ReceivedDay {
  /** `2026-03-01`, in the store's time zone. */
  day: string;
  onchainSats: bigint;
  lightningSats: bigint;
}

export interface StoreHome {
  days: number;
  timeZone: string;
  /** Confirmed, oldest first, including days without payments. */
  received: ReceivedDay[];
  invoices: Record<InvoiceStatus, number>;
  webhooks: WebhookHealth[];
  openReviews: number;
  openAlerts: number;
}

/** By indexes that begin with the store; nothing is precomputed (docs/adr/0022). */
export async function readStoreHome(ctx: CommandContext, storeId: string): Promise<StoreHome> {
  const { manager } = ctx.db;
  const now = await ctx.now(manager);
  const calendar = await readCalendar(ctx, storeId);
  const today = calendar.dayOf(now);
  const days = Array.from({ length: DAYS }, (_, at) => addDays(today, at + 1 - DAYS));
  return {
    days: DAYS,
    timeZone: calendar.timeZone,
    received: await received(ctx, storeId, days, calendar),
    invoices: await invoices(ctx, storeId, calendar.startOf(days[0] ?? today)),
    webhooks: (await readWebhookHealth(manager, storeId)).rows,
    openReviews: await countOpenReviews(ctx, storeId),
    openAlerts: await manager.countBy(Alert, { storeId, resolvedAt: IsNull() }),
  };
}

async function received(
  { db }: CommandContext,
  storeId: string,
  days: readonly Day[],
  { startOf, endOf }: Calendar,
): Promise<ReceivedDay[]> {
  const { rows } = await sumReceivedIn(db.manager, storeId, days.map(startOf), days.map(endOf));
  return rows.map(({ period, onchain, lightning }) => ({
    day: days[period] ?? "",
    onchainSats: BigInt(onchain),
    lightningSats: BigInt(lightning),
  }));
}

async function invoices(
  { db }: CommandContext,
  storeId: string,
  from: Date,
): Promise<Record<InvoiceStatus, number>> {
  const { rows } = await countInvoices(db.manager, storeId, from, INVOICE_STATUSES);
  const counts = { New: 0, Processing: 0, Settled: 0, Expired: 0, Invalid: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}
