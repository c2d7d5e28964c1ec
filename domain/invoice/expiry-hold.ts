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

/** Since when payments to the invoice may have been missed, also after its expiry. */
export function gapSince(
  { id, createdAt }: Pick<InvoiceTime, "createdAt"> & { id: string },
  { gaps, paidBySetAside }: UnreadChain,
): Date | null {
  const began = gaps.flatMap(({ beganAt, endedAt }) =>
    endedAt === null || endedAt >= createdAt ? beganAt : [],
  );
  if (paidBySetAside.has(id)) began.push(createdAt);
  return began.reduce<Date | null>((first, at) => (first === null || at < first ? at : first), null);
}

/** A later instant was written before the database's clock was set back: it says nothing. */
export function notAhead(instant: Date | null, now: Date): Date | null {
  return instant !== null && instant <= now ? instant : null;
}

export function isReadUntil({ readUntil }: Pick<SyncFacts, "readUntil">, instant: Date): boolean {
  return readUntil !== null && readUntil >= instant;
}

export function allSeenInTime(
  { expiresAt }: Pick<InvoiceFacts, "expiresAt">,
  sync: Pick<SyncFacts, "readUntil" | "gapSince">,
): boolean {
  return isReadUntil(sync, expiresAt) && (sync.gapSince === null || sync.gapSince > expiresAt);
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
  chain: Pick<SyncFacts, "readUntil" | "gapSince" | "holdExpiryUntil">,
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
  chain: UnreadChain & Pick<SyncFacts, "readUntil" | "holdExpiryUntil">,
  now: Date,
): UnknownArrival {
  if (!isArrivalUnknown(invoice, { ...chain, gapSince: gapSince(invoice, chain) }, now)) return "nowhere";
  const lasts = chain.gaps.some(({ beganAt, endedAt }) => endedAt === null && beganAt <= invoice.expiresAt);
  return lasts ? "anywhere" : "block";
}

/** Rows 5 and 7 wait until every network has been checked past the expiry, or until the limit on waiting. */
export function expiryMayBeDecided(
  invoice: Pick<InvoiceFacts, "expiresAt">,
  now: Date,
  sync: Pick<SyncFacts, "readUntil" | "gapSince" | "holdExpiryUntil">,
): boolean {
  return now >= invoice.expiresAt && (allSeenInTime(invoice, sync) || now >= sync.holdExpiryUntil);
}

/** Rows 7, 8 and 12 wait for it without a limit. Row 6 waits for the check alone, since it is no end. */
export function allRead(sync: SyncFacts): boolean {
  return sync.gapSince === null && sync.lossAt === null;
}
