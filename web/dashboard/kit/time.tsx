import { useEffect, useState } from "react";

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const TICK_MS = 30_000;

export const formatDateTime = (instant: string): string => DATE_TIME.format(new Date(instant));

/** "3 min. ago", "in 2 days", "just now". */
export function formatRelative(instant: string, now = Date.now()): string {
  const away = Date.parse(instant) - now;
  const unit = UNITS.find(([, ms]) => Math.abs(away) >= ms);
  return unit === undefined ? "just now" : RELATIVE.format(Math.trunc(away / unit[1]), unit[0]);
}

/** An instant in the reader's time zone; in UTC in its tooltip. `relative` is how long ago, kept up to date. */
export function Time({ value, relative = false }: { value: string; relative?: boolean }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!relative) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [relative]);
  const utc = `${value.slice(0, 19).replace("T", " ")} UTC`;
  return (
    <time dateTime={value} title={relative ? `${formatDateTime(value)} (${utc})` : utc}>
      {relative ? formatRelative(value, now) : formatDateTime(value)}
    </time>
  );
}

/** "1.2 s", "340 ms". */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
