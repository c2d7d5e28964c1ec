import type { InvoiceFacts, SyncFacts } from "./facts";

/** A time in which payments may have been missed. */
export interface Gap {
  beganAt: Date;
  /** Null while it lasts. */
  endedAt: Date | null;
}

interface InvoiceTime {
  createdAt: Date;
  expiresAt: Date;
}

export interface UnreadChain {
  gaps: readonly Gap[];
  /** Ids of invoices paid by transactions that were set aside. */
  paidBySetAside: ReadonlySet<string>;
}

export interface HoldLimits {
  holdMinutes: number;
  /** After at least a minute without it; null where none is known. */
  watchStartedAt: Date | null;
}

/** No expiry waits for longer, however often processes restart. */
export const HOLD_MAX_MS = 24 * 3_600_000;

/** From then on an expiry waits for nothing. */
export function holdExpiryUntil(expiresAt: Date, { holdMinutes, watchStartedAt }: HoldLimits): Date {
  const expiry = expiresAt.getTime();
  const from = Math.max(expiry, watchStartedAt?.getTime() ?? expiry);
  return new Date(Math.min(from + holdMinutes * 60_000, expiry + HOLD_MAX_MS));
}

export function overlapsGap({ createdAt, expiresAt }: InvoiceTime, gaps: readonly Gap[]): boolean {
  return lastsInto(
    createdAt,
    gaps.filter(({ beganAt }) => beganAt <= expiresAt),
  );
}

function lastsInto(instant: Date, gaps: readonly Gap[]): boolean {
  return gaps.some(({ endedAt }) => endedAt === null || endedAt >= instant);
}

export function isInGap(invoice: InvoiceTime & { id: string }, chain: UnreadChain): boolean {
  return overlapsGap(invoice, chain.gaps) || chain.paidBySetAside.has(invoice.id);
}

/** A payment since the invoice's creation, also after its expiry, may have been missed. */
export function isUnread(
  { id, createdAt }: Pick<InvoiceTime, "createdAt"> & { id: string },
  chain: UnreadChain,
): boolean {
  return lastsInto(createdAt, chain.gaps) || chain.paidBySetAside.has(id);
}

/** A later instant was written before the database's clock was set back: it says nothing. */
export function notAhead(instant: Date | null, now: Date): Date | null {
  return instant !== null && instant <= now ? instant : null;
}

export function isCaughtUp({ caughtUpTo }: Pick<SyncFacts, "caughtUpTo">, instant: Date): boolean {
  return caughtUpTo !== null && caughtUpTo >= instant;
}

export function allSeenInTime(
  { expiresAt }: Pick<InvoiceFacts, "expiresAt">,
  sync: Pick<SyncFacts, "caughtUpTo" | "inGap">,
): boolean {
  return isCaughtUp(sync, expiresAt) && !sync.inGap;
}

/** It may still expire: it is open, or a payment that it counts on may be lost. */
export function isOverdue(
  { status, expiresAt }: Pick<InvoiceFacts, "status" | "expiresAt">,
  now: Date,
): boolean {
  return (status === "New" || status === "Processing") && now >= expiresAt;
}

/**
 * A payment first found in a block may have come in time, unseen: it counts as first seen at the expiry, if
 * its block was mined later. `chain`: how far the Bitcoin network alone has been checked.
 */
export function isArrivalUnknown(
  invoice: Pick<InvoiceFacts, "status" | "expiresAt">,
  chain: Pick<SyncFacts, "caughtUpTo" | "inGap" | "holdExpiryUntil">,
  now: Date,
): boolean {
  if (!isOverdue(invoice, now) || allSeenInTime(invoice, chain)) return false;
  return invoice.status === "Processing" || now < chain.holdExpiryUntil;
}

/** Where a payment may first be found although it came in time. */
export type UnknownArrival = "nowhere" | "block" | "anywhere";

/**
 * While a gap lasts, the mempool proves nothing either: a node that stood still dates by when it took the payment in.
 */
export function unknownArrival(
  invoice: Pick<InvoiceFacts, "status"> & InvoiceTime & { id: string },
  chain: UnreadChain & Pick<SyncFacts, "caughtUpTo" | "holdExpiryUntil">,
  now: Date,
): UnknownArrival {
  if (!isArrivalUnknown(invoice, { ...chain, inGap: isInGap(invoice, chain) }, now)) return "nowhere";
  const lasting = chain.gaps.filter(({ endedAt }) => endedAt === null);
  return overlapsGap(invoice, lasting) ? "anywhere" : "block";
}

/** Rows 5 and 7 wait until every network has been checked past the expiry, or until the limit on waiting. */
export function expiryMayBeDecided(
  invoice: Pick<InvoiceFacts, "expiresAt">,
  now: Date,
  sync: Pick<SyncFacts, "caughtUpTo" | "inGap" | "holdExpiryUntil">,
): boolean {
  return now >= invoice.expiresAt && (allSeenInTime(invoice, sync) || now >= sync.holdExpiryUntil);
}

/** Rows 7, 8 and 12 wait for it without a limit. Row 6 waits for the check alone, since it is no end. */
export function allRead({ unread, lossUnchecked }: SyncFacts): boolean {
  return !unread && !lossUnchecked;
}
