import type { Figures, Period } from "../../api/reports";
import { formatAmount } from "../../kit/format/format-money";

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const dayText = (day: string): string => DAY.format(new Date(day));

export const periodText = ({ from, to }: Period): string =>
  from === to ? dayText(from) : `${dayText(from)} – ${dayText(to)}`;

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

/** "1.5 h" */
export function secondsText(seconds: number): string {
  const unit = UNITS.find(([, size]) => seconds >= size);
  return unit === undefined ? `${seconds} s` : `${Number((seconds / unit[1]).toFixed(1))} ${unit[0]}`;
}

export const soldText = ({ sold }: Pick<Figures, "sold">): string =>
  sold.map(({ amount, currency }) => formatAmount(amount, currency)).join(" + ") || "–";

export const quantilesText = (quantiles: Figures["secondsToPayment"]): string =>
  quantiles === null ? "–" : `${secondsText(quantiles.median)} (95%: ${secondsText(quantiles.p95)})`;
