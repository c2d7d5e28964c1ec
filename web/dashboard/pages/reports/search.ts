import { dayOf, onlySet, wordOf } from "../../kit/search-values";

export const LENGTHS = ["day", "week", "month"] as const;

export interface ReportSearch {
  /** Both included: `2026-03-01`. */
  from?: string;
  to?: string;
  by?: (typeof LENGTHS)[number];
}

export const readReportSearch = (search: Record<string, unknown>): ReportSearch =>
  onlySet({ from: dayOf(search["from"]), to: dayOf(search["to"]), by: wordOf(search["by"], LENGTHS) });

const DAYS = 30;

/** As the calendar of the reader says. */
function dayBefore(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() - days);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The last days unless chosen. */
export const rangeOf = ({ from, to, by = "day" }: ReportSearch) => ({
  from: from ?? dayBefore(DAYS - 1),
  to: to ?? dayBefore(0),
  by,
});
