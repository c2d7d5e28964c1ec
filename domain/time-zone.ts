import { invalidField } from "./errors";

const DAY_MS = 86_400_000;

/** A day of a calendar, `2026-03-01`. */
export type Day = string;

/** Both inclusive. */
export interface Days {
  from: Day;
  to: Day;
}

/** An offset such as `+02:00` is none. */
const NAME = /^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/i;

/** To this version of Node. */
function isKnown(name: string): boolean {
  try {
    return NAME.test(name) && Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** UTC instead of a name that only another version of Node knows: a store's may have been chosen with that. */
export const effectiveTimeZone = (name: string): string => (isKnown(name) ? name : "UTC");

/** @throws DomainError `validation-failed` at `/timeZone`, unless it is an IANA name. */
export function checkTimeZone(name: string): void {
  if (!isKnown(name))
    throw invalidField("/timeZone", "There is no such time zone. Send an IANA name such as Europe/Berlin.");
}

export function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^(19[7-9]|2\d\d)\d-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && utcDay(at) === text;
}

/** In UTC. */
export const utcDay = (at: Date | number): Day => new Date(at).toISOString().slice(0, 10);

export function addDays(day: Day, days: number): Day {
  return utcDay(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

/** How many days after Monday. */
export function weekday(day: Day): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

export type Calendar = ReturnType<typeof calendarIn>;

/**
 * The only reader of time zones: the database is sent instants, since its list of names may be another. Its zone is as
 * `effectiveTimeZone` says.
 */
export function calendarIn(name: string) {
  const timeZone = effectiveTimeZone(name);
  const two = "2-digit";
  const fields = { year: "numeric", month: two, day: two, hour: two, minute: two, second: two } as const;
  // Sweden writes as ISO 8601 does; formatToParts takes twice as long.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, ...fields, hourCycle: "h23" });
  /** `2026-03-01 09:30:00` */
  const read = (at: Date): string => format.format(at);
  const dayOf = (at: Date): Day => read(at).slice(0, 10);
  const offsetAt = (at: number): number => Date.parse(`${read(new Date(at)).replace(" ", "T")}Z`) - at;
  /** Its first instant, also where no midnight comes, or two do. */
  const startOf = (day: Day): Date => {
    const utc = Date.parse(`${day}T00:00:00Z`);
    const [first = utc, second = utc] = [-DAY_MS, DAY_MS].map((away) => utc - offsetAt(utc + away));
    const earlier = new Date(Math.min(first, second));
    return dayOf(earlier) >= day ? earlier : new Date(Math.max(first, second));
  };
  return { timeZone, read, dayOf, startOf, endOf: (day: Day) => startOf(addDays(day, 1)) };
}
