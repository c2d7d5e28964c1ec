const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
/** In the language of the pages. */
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

export const formatDateTime = (instant: string): string => DATE_TIME.format(new Date(instant));

/** "3 min. ago", "in 2 days", "just now". */
export function formatRelative(instant: string, now = Date.now()): string {
  const away = Date.parse(instant) - now;
  const unit = UNITS.find(([, ms]) => Math.abs(away) >= ms);
  return unit === undefined ? "just now" : RELATIVE.format(Math.trunc(away / unit[1]), unit[0]);
}

/** "1.2 s", "340 ms". */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
