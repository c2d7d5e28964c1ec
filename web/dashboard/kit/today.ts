import { useQuery } from "@tanstack/react-query";
import { apiQuery } from "../api/queries";
import type { Store } from "../api/shapes";

/** A browser may be older than the server. */
function dayIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("sv-SE", { timeZone }).format();
  } catch {
    return dayIn("UTC");
  }
}

/** In the store's time zone, as its days are counted: `2026-03-01`. */
export function useToday(storeId: string): string {
  const { data: store } = useQuery(apiQuery<Store>(`/stores/${storeId}`));
  return dayIn(store?.effectiveTimeZone ?? "UTC");
}

export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
