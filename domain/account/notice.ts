import { addDays, calendarIn, type Day, type Days, weekday } from "../time-zone";

/** Mails that a member of a store may choose. */
export const NOTICE_KINDS = ["paid", "to-review", "webhook-failing", "node-away"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export const SUMMARY_INTERVALS = ["none", "daily", "weekly"] as const;
export type SummaryInterval = (typeof SUMMARY_INTERVALS)[number];

/** In the store's time zone. */
const SUMMARY_TIME = "07:00:00";

/** The days of the next summary, if it is time for one: since the last, so that an outage leaves none out. */
export function dueSummary(
  { summary, summarisedTo }: { summary: SummaryInterval; summarisedTo: Day },
  now: Date,
  timeZone: string,
): Days | null {
  const [today = "", time = ""] = calendarIn(timeZone).read(now).split(" ");
  if (summary === "none" || time < SUMMARY_TIME) return null;
  const to = addDays(today, summary === "daily" ? -1 : -1 - weekday(today));
  return to > summarisedTo ? { from: addDays(summarisedTo, 1), to } : null;
}
