import { invalidField } from "../errors";
import { addDays, type Day, type Days, checkTimeZone, utcDay, weekday } from "../time-zone";

export const PERIOD_LENGTHS = ["day", "week", "month"] as const;
export type PeriodLength = (typeof PERIOD_LENGTHS)[number];

/** More than a year of days. */
export const PERIODS_MAX = 400;

export interface ReportRange extends Days {
  by: PeriodLength;
  timeZone: string;
}

/**
 * Days, weeks that begin on Monday, or months of the calendar; the first and the last as far as they are in the range.
 * @throws DomainError `validation-failed` at `/to` or `/timeZone`
 */
export function periodsOf({ from, to, by, timeZone }: ReportRange): Days[] {
  checkTimeZone(timeZone);
  checkOrder({ from, to });
  const periods: Days[] = [];
  for (let begin = from; begin <= to; begin = addDays(lastDay(begin, by), 1)) {
    if (periods.length === PERIODS_MAX)
      throw invalidField(
        "/to",
        `The range has more than ${PERIODS_MAX} periods. Shorten it, or report by week or month.`,
      );
    const end = lastDay(begin, by);
    periods.push({ from: begin, to: end < to ? end : to });
  }
  return periods;
}

/** @throws DomainError `validation-failed` at `/to` */
export function checkOrder({ from, to }: Days): void {
  if (to < from)
    throw invalidField("/to", "The range ends before it begins. Send a day that is not before `from`.");
}

function lastDay(day: Day, by: PeriodLength): Day {
  if (by === "day") return day;
  if (by === "week") return addDays(day, 6 - weekday(day));
  const [year = 0, month = 0] = day.split("-").map(Number);
  return utcDay(Date.UTC(year, month, 0));
}
