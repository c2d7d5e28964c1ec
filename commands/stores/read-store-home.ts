import { IsNull } from "typeorm";
import { figuresOf } from "../../domain/report/figures";
import { receivedIn, type Sums } from "../../domain/report/sums";
import { addDays, type Day } from "../../domain/time-zone";
import { Alert } from "../../entities/alert";
import type { CommandContext } from "../context";
import { countOpenReviews } from "../reviews/list-reviews";
import { readDays } from "../reports/read-days";
import { readCalendar } from "../../database/rows";
import { readWebhookHealth } from "./queries";

const DAYS = 30;

export async function readStoreHome(ctx: CommandContext, storeId: string) {
  const { manager } = ctx.db;
  const calendar = await readCalendar(ctx, storeId);
  const today = calendar.dayOf(await ctx.now(manager));
  const days = Array.from({ length: DAYS }, (_, at) => addDays(today, at + 1 - DAYS));
  const sums = await readDays(ctx, storeId, calendar, { from: days[0] ?? today, to: today });
  const sumsOf = (day: Day): Sums[] => [sums.get(day) ?? []].flat();
  return {
    days: DAYS,
    timeZone: calendar.timeZone,
    /** Confirmed, oldest first, including days without payments. */
    received: days.map((day) => ({ day, ...receivedIn(sumsOf(day)) })),
    invoices: figuresOf([...sums.values()]).invoices,
    webhooks: (await readWebhookHealth(manager, storeId)).rows,
    openReviews: await countOpenReviews(ctx, storeId),
    openAlerts: await manager.countBy(Alert, { storeId, resolvedAt: IsNull() }),
  };
}
