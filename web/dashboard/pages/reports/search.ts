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
