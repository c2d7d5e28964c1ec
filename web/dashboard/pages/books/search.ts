import { onlySet, textOf } from "../../kit/search-values";

export interface BooksSearch {
  /** `2026-10` */
  month?: string;
}

export const isMonth = (text: string): boolean => /^(19[7-9]|[2-8]\d\d)\d-(0[1-9]|1[0-2])$/.test(text);

export function readBooksSearch(search: Record<string, unknown>): BooksSearch {
  const month = textOf(search["month"]);
  return onlySet({ month: month !== undefined && isMonth(month) ? month : undefined });
}

/** Its last day has the number before the first of the next. */
const dayIn = (month: string, away: number, day: number): string => {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + away, day)).toISOString().slice(0, 10);
};

export const monthsFrom = (month: string, away: number): string => dayIn(month, away, 1).slice(0, 7);

export const daysOf = (month: string) => ({ from: dayIn(month, 0, 1), to: dayIn(month, 1, 0) });
