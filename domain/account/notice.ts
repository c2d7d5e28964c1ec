import { addDays, type Day, dayIn, type Days, hourIn, weekday } from "../time-zone";

/** Mails that a member of a store may choose. */
export const NOTICE_KINDS = ["paid", "to-review", "webhook-failing", "node-away"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export const SUMMARY_INTERVALS = ["none", "daily", "weekly"] as const;
export type SummaryInterval = (typeof SUMMARY_INTERVALS)[number];

/** In the store's time zone. */
const SUMMARY_HOUR = 7;

/** The days of the next summary, if it is time for one: since the last, so that an outage leaves none out. */
export function dueSummary(
  { summary, summarisedTo }: { summary: SummaryInterval; summarisedTo: Day },
  now: Date,
  timeZone: string,
): Days | null {
  if (summary === "none" || hourIn(now, timeZone) < SUMMARY_HOUR) return null;
  const today = dayIn(now, timeZone);
  const to = addDays(today, summary === "daily" ? -1 : -1 - weekday(today));
  return to > summarisedTo ? { from: addDays(summarisedTo, 1), to } : null;
}
