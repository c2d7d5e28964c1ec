import type { Day } from "../time-zone";

/** `open`, or why a link takes no payment now. Days are those of the store's time zone. */
export const LINK_STANDINGS = [
  "open",
  "store-archived",
  "archived",
  "ended",
  "used-up",
  "day-used-up",
] as const;
export type LinkStanding = (typeof LINK_STANDINGS)[number];

interface LinkFacts {
  archivedAt: Date | null;
  endsAt: Date | null;
  maxUses: number | null;
  maxPerDay: number;
  lastDay: Day | null;
  createdThatDay: number;
}

/** `uses`: the invoices that are open or paid. */
export function standingOf(
  link: LinkFacts,
  { storeArchived, uses, now, today }: { storeArchived: boolean; uses: number; now: Date; today: Day },
): LinkStanding {
  if (storeArchived) return "store-archived";
  if (link.archivedAt !== null) return "archived";
  if (link.endsAt !== null && link.endsAt <= now) return "ended";
  if (link.maxUses !== null && uses >= link.maxUses) return "used-up";
  return createdOn(link, today) >= link.maxPerDay ? "day-used-up" : "open";
}

export const createdOn = (
  { lastDay, createdThatDay }: Pick<LinkFacts, "lastDay" | "createdThatDay">,
  day: Day,
): number => (lastDay === day ? createdThatDay : 0);
