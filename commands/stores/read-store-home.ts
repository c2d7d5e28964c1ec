import { IsNull } from "typeorm";
import { INVOICE_STATUSES, type InvoiceStatus } from "../../domain/invoice/status";
import { Alert } from "../../entities/alert";
import type { CommandContext } from "../context";
import { countOpen } from "../reviews/queries";
import { countInvoices, readWebhookHealth, sumReceived, type WebhookHealth } from "./queries";

const DAYS = 30;

export interface ReceivedDay {
  /** `2026-03-01`, in UTC. */
  day: string;
  onchainSats: bigint;
  lightningSats: bigint;
}

export interface StoreHome {
  days: number;
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
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const from = new Date(today - (DAYS - 1) * 86_400_000);
  return {
    days: DAYS,
    received: await received(ctx, storeId, from),
    invoices: await invoices(ctx, storeId, from),
    webhooks: (await readWebhookHealth(manager, storeId)).rows,
    openReviews: (await countOpen(manager, storeId)).rows[0]?.count ?? 0,
    openAlerts: await manager.countBy(Alert, { storeId, resolvedAt: IsNull() }),
  };
}

async function received({ db }: CommandContext, storeId: string, from: Date): Promise<ReceivedDay[]> {
  const { rows } = await sumReceived(db.manager, storeId, from, DAYS);
  return rows.map(({ day, onchain, lightning }) => ({
    day,
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
