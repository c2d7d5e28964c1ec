import { utcDay } from "../time-zone";

/** `open`, or why a link takes no payment now. Of a full day the next one begins at 0:00 UTC. */
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
  /** In UTC. */
  lastDay: string | null;
  createdThatDay: number;
}

/** `uses`: the invoices that are open or paid. */
export function standingOf(
  link: LinkFacts,
  { storeArchived, uses, now }: { storeArchived: boolean; uses: number; now: Date },
): LinkStanding {
  if (storeArchived) return "store-archived";
  if (link.archivedAt !== null) return "archived";
  if (link.endsAt !== null && link.endsAt <= now) return "ended";
  if (link.maxUses !== null && uses >= link.maxUses) return "used-up";
  return createdOn(link, now) >= link.maxPerDay ? "day-used-up" : "open";
}

export const createdOn = (
  { lastDay, createdThatDay }: Pick<LinkFacts, "lastDay" | "createdThatDay">,
  now: Date,
): number => (lastDay === utcDay(now) ? createdThatDay : 0);
