import { useEffect, useState } from "react";
import { formatDateTime, formatRelative } from "./format-time";

const TICK_MS = 30_000;

/** UTC is its tooltip. `relative`: how long ago, kept up to date. */
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
