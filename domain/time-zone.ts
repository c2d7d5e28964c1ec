const DAY_MS = 86_400_000;

/** A day of a calendar, `2026-03-01`. */
export type Day = string;

/** Both inclusive. */
export interface Days {
  from: Day;
  to: Day;
}

/** An offset such as `+02:00` is none: Postgres counts it the other way round. */
const NAME = /^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/i;

/** IANA's name. */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
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

function partsIn(at: Date, timeZone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23", // else midnight is 24
  });
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

export function dayIn(at: Date, timeZone: string): Day {
  const { year, month, day } = partsIn(at, timeZone);
  return `${year}-${month}-${day}`;
}

/** `2026-03-01 09:30` */
export function minuteIn(at: Date, timeZone: string): string {
  const { hour, minute } = partsIn(at, timeZone);
  return `${dayIn(at, timeZone)} ${hour}:${minute}`;
}

export function hourIn(at: Date, timeZone: string): number {
  return Number(partsIn(at, timeZone)["hour"]);
}
