import { isFiat } from "../../domain/money/currencies";
import { satsToFiat, sumAmounts } from "../../domain/money/money";
import { checkOrder } from "../../domain/report/periods";
import { byCurrency, receivedIn, totalOf } from "../../domain/report/sums";
import type { Calendar, Day, Days } from "../../domain/time-zone";
import { cursorText, type Page, type PageRequest, parseCursor } from "../../database/pagination";
import type { CommandContext } from "../context";
import { readCalendar } from "../../database/rows";
import { readDays } from "../reports/read-days";
import { type LedgerRow, readLedger } from "./queries";

export { LEDGER_REASONS } from "./queries";

export interface LedgerLine extends Omit<LedgerRow, "micros" | "sats"> {
  /** In the store's time zone. */
  day: Day;
  time: string;
  /** Negative for a refund. */
  amountSats: bigint;
  /** At the invoice's rate; null if its price is in bitcoin. */
  fiatAmount: string | null;
}

/** In the store's time zone, both included; undefined: all. */
export type LedgerDays = { [K in keyof Days]?: Day | undefined };

interface Range extends Days {
  calendar: Calendar;
}

async function rangeOf(ctx: CommandContext, storeId: string, days: LedgerDays): Promise<Range> {
  const { from = "1970-01-01", to = "2999-12-31" } = days;
  checkOrder({ from, to });
  const calendar = await readCalendar(ctx, storeId);
  return { calendar, from, to };
}

/**
 * Confirmed payments and recorded refunds, oldest first.
 * @throws DomainError `validation-failed` at `/to` or `/cursor`.
 */
export async function listLedger(
  ctx: CommandContext,
  storeId: string,
  days: LedgerDays,
  page: PageRequest,
): Promise<Page<LedgerLine>> {
  return readLines(ctx, storeId, await rangeOf(ctx, storeId, days), page);
}

async function readLines(
  { db }: CommandContext,
  storeId: string,
  { calendar, from, to }: Range,
  { limit, cursor }: PageRequest,
): Promise<Page<LedgerLine>> {
  const [since, until] = [calendar.startOf(from), calendar.endOf(to)];
  const begin = { micros: `${Math.max(since.getTime(), 0)}000`, id: "" };
  const given = cursor === undefined ? begin : parseCursor(cursor);
  const after = BigInt(given.micros) < BigInt(begin.micros) ? begin : given;
  const { rows } = await readLedger(db.manager, storeId, after.micros, after.id, until, limit + 1);
  const found = rows.slice(0, limit);
  const last = found.at(-1);
  return {
    items: found.map((row) => lineOf(row, calendar)),
    nextCursor: rows.length > limit && last !== undefined ? cursorText(last) : null,
  };
}

function lineOf({ micros, sats, ...row }: LedgerRow, calendar: Calendar): LedgerLine {
  const [day = "", time = ""] = calendar.read(row.at).split(" ");
  const amountSats = BigInt(sats);
  return {
    ...row,
    day,
    time,
    amountSats,
    fiatAmount: row.rate && satsToFiat(amountSats, row.rate.value, row.currency),
  };
}

const BATCH = 500;

/** A batch in memory at a time. @throws DomainError as `listLedger`. */
export async function* exportLedger(
  ctx: CommandContext,
  storeId: string,
  days: LedgerDays,
): AsyncGenerator<LedgerLine[], void, undefined> {
  const range = await rangeOf(ctx, storeId, days);
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await readLines(ctx, storeId, range, { limit: BATCH, cursor });
    yield items;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Without what is not counted. @throws DomainError `validation-failed` at `/to`. */
export async function sumPayments(ctx: CommandContext, storeId: string, days: LedgerDays) {
  const { calendar, ...range } = await rangeOf(ctx, storeId, days);
  const sums = [...(await readDays(ctx, storeId, calendar, range)).values()];
  const rows = sums.flatMap(({ ledger }) => ledger);
  const { onchainSats, lightningSats } = receivedIn(sums);
  return {
    timeZone: calendar.timeZone,
    receivedOnchainSats: onchainSats,
    receivedLightningSats: lightningSats,
    refundedSats: totalOf(rows.map(({ refunded }) => refunded)),
    payments: rows.reduce((sum, row) => sum + row.payments, 0),
    refunds: rows.reduce((sum, row) => sum + row.refunds, 0),
    fiat: byCurrency(rows)
      .filter(([currency]) => isFiat(currency))
      .map(([currency, own]) => ({
        currency,
        received: sumAmounts(
          own.map(({ fiatReceived }) => fiatReceived),
          currency,
        ),
        refunded: sumAmounts(
          own.map(({ fiatRefunded }) => fiatRefunded),
          currency,
        ),
      })),
  };
}
