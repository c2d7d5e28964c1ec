import { ADDITIONAL_STATUSES, INVOICE_STATUSES } from "../../domain/invoice/status";
import { minorUnitsOfAll } from "../../domain/money/currencies";
import type { Sums } from "../../domain/report/sums";
import { addDays, type Calendar, type Day, type Days } from "../../domain/time-zone";
import type { CommandContext } from "../context";
import { claimDays, countSums, keepSums, readFence, readFirst, readKept } from "./queries";

interface Span {
  day: Day;
  since: Date;
  until: Date;
}

/** By day of the range, from the store's first to today. Days that are over are kept (docs/adr/0088). */
export async function readDays(
  ctx: CommandContext,
  storeId: string,
  calendar: Calendar,
  range: Days,
): Promise<Map<Day, Sums>> {
  const { manager } = ctx.db;
  const today = calendar.dayOf(await ctx.now(manager));
  const [first] = (await readFirst(manager, storeId)).rows;
  if (first === undefined || first.at === null) return new Map();
  const spans = spansOf(calendar, later(range.from, calendar.dayOf(first.at)), earlier(range.to, today));
  const over = spans.filter(({ day }) => day < today);
  const { rows } = await readKept(manager, storeId, ...columnsOf(over));
  const kept = new Map(rows.map(({ number, sums }) => [over[number]?.day, sums]));
  const changed = over.filter(({ day }) => !kept.has(day));
  const counted = new Map(await countAndKeep(ctx, storeId, changed));
  for (const span of spans.filter(({ day }) => day === today))
    counted.set(today, (await count(ctx, storeId, span, "0")).sums);
  return new Map(
    spans.flatMap(({ day }) => {
      const sums = kept.get(day) ?? counted.get(day);
      return sums === undefined ? [] : [[day, sums] as const];
    }),
  );
}

const later = (one: Day, other: Day): Day => (one < other ? other : one);
const earlier = (one: Day, other: Day): Day => (one < other ? one : other);

function spansOf({ startOf }: Calendar, from: Day, to: Day): Span[] {
  const spans: Span[] = [];
  for (let day = from, since = startOf(day); day <= to;) {
    const next = addDays(day, 1);
    const until = startOf(next);
    spans.push({ day, since, until });
    [day, since] = [next, until];
  }
  return spans;
}

const columnsOf = (spans: readonly Span[]): [Date[], Date[]] => [
  spans.map(({ since }) => since),
  spans.map(({ until }) => until),
];

/** So that a first read of years, if it ends early, was not for nothing. */
const KEPT_AT_ONCE = 31;

/** Writers are at READ COMMITTED: one after the claim adds a row to it, one before had ended when a day was `settled`. */
async function countAndKeep(
  ctx: CommandContext,
  storeId: string,
  spans: readonly Span[],
): Promise<[Day, Sums][]> {
  if (spans.length === 0) return [];
  const { manager } = ctx.db;
  const { rows: claims } = await claimDays(manager, storeId, ...columnsOf(spans));
  const [{ fence } = { fence: "0" }] = (await readFence(manager)).rows;
  const ids = claims.map(({ id }) => id);
  const all: [Day, Sums][] = [];
  for (let from = 0; from < spans.length; from += KEPT_AT_ONCE) {
    const counted: { span: Span; sums: Sums; settled: boolean }[] = [];
    for (const span of spans.slice(from, from + KEPT_AT_ONCE))
      counted.push({ span, ...(await count(ctx, storeId, span, fence)) });
    const settled = counted.filter((day) => day.settled);
    const texts = settled.map(({ sums }) => JSON.stringify(sums));
    await keepSums(manager, storeId, ...columnsOf(settled.map(({ span }) => span)), ids, texts);
    all.push(...counted.map(({ span, sums }): [Day, Sums] => [span.day, sums]));
  }
  return all;
}

const DIGITS = JSON.stringify(minorUnitsOfAll());

async function count(
  { db: { manager } }: CommandContext,
  storeId: string,
  { since, until }: Span,
  fence: string,
): Promise<{ sums: Sums; settled: boolean }> {
  const of = [DIGITS, INVOICE_STATUSES, ADDITIONAL_STATUSES] as const;
  const [row] = (await countSums(manager, storeId, since, until, ...of, fence)).rows;
  if (row === undefined) throw new Error("sums have one row");
  return row;
}
