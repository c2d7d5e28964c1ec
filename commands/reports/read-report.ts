import { figuresOf } from "../../domain/report/figures";
import { periodsOf, type ReportRange } from "../../domain/report/periods";
import type { Sums } from "../../domain/report/sums";
import { calendarIn } from "../../domain/time-zone";
import type { CommandContext } from "../context";
import { readDays } from "./read-days";

/** @throws DomainError `validation-failed` at `/to` or `/timeZone` */
export async function readReport(ctx: CommandContext, storeId: string, range: ReportRange) {
  const periods = periodsOf(range).map((days) => ({ ...days, sums: [] as Sums[] }));
  const days = await readDays(ctx, storeId, calendarIn(range.timeZone), range);
  let at = 0;
  for (const [day, sums] of days) {
    while (day > (periods[at]?.to ?? day)) at += 1;
    periods[at]?.sums.push(sums);
  }
  return {
    ...range,
    totals: figuresOf([...days.values()]),
    periods: periods.map(({ from, to, sums }) => ({ from, to, ...figuresOf(sums) })),
  };
}
