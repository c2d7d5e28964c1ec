import { paidSats, remainingSats } from "./amounts";
import type { InvoiceFacts } from "./facts";
import { isPayable } from "./is-payable";
import type { MethodReason } from "./method-reason";

/** A BOLT11 of an invoice that may still be paid, as far as is known. */
export interface OpenBolt11 {
  amountSats: bigint;
  cancelWanted: boolean;
}

/** The planned state of an invoice's BOLT11s. */
export interface LightningPlan<B extends OpenBolt11> {
  /** The one to be paid; null when there is none (yet). */
  keep: B | null;
  /** Those that must no longer be payable. */
  cancel: readonly B[];
  /** What a customer still has to pay by Lightning; null if nothing. It is issued when nothing is left in `cancel`. */
  wantedSats: bigint | null;
}

/** A BOLT11 issued later than this before the expiry could not be paid in time. */
const LATEST_ISSUE_MS = 3_000;

/**
 * Nobody should pay twice: a BOLT11 is for exactly what is missing, as seen on both networks, and only while the
 * invoice waits for it (docs/invoice-lifecycle.md). Pure: the caller issues and cancels.
 */
export function lightningPlan<B extends OpenBolt11>(
  facts: InvoiceFacts,
  open: readonly B[],
  now: Date,
): LightningPlan<B> {
  const remaining = remainingSats({ ...facts, paidSats: paidSats(facts) });
  const payableSats = isPayable(facts, now) && remaining > 0n ? remaining : null;
  const keep =
    open.find(({ amountSats, cancelWanted }) => !cancelWanted && amountSats === payableSats) ?? null;
  const tooLate = facts.expiresAt.getTime() - now.getTime() < LATEST_ISSUE_MS;
  return {
    keep,
    cancel: open.filter((bolt11) => bolt11 !== keep),
    wantedSats: keep === null && tooLate ? null : payableSats,
  };
}

/** A BOLT11 as its row has it: its text is null until LND has issued it, and nobody is shown it before. */
interface Bolt11Row extends OpenBolt11 {
  bolt11: string | null;
}

/** How a plan is followed. */
interface LightningSteps<B> {
  /** Never shown: they cannot be paid, whatever LND has made of them, and count as canceled at once. */
  cancelNow: B[];
  /** Shown, and not yet marked to be canceled by LND. */
  cancelByNode: B[];
  /** The amount of a new BOLT11; null if none is issued now. */
  issueSats: bigint | null;
  /** LND has to be called. */
  callsNode: boolean;
}

/** `hasNode`: this server runs with a Lightning node. A new BOLT11 waits until none can be paid that was shown. */
export function stepsOf<B extends Bolt11Row>(
  { keep, cancel, wantedSats }: LightningPlan<B>,
  hasNode: boolean,
): LightningSteps<B> {
  const shown = cancel.filter(({ bolt11 }) => bolt11 !== null);
  const clear = keep === null && shown.length === 0;
  const issueSats = clear && hasNode ? wantedSats : null;
  return {
    cancelNow: cancel.filter(({ bolt11 }) => bolt11 === null),
    cancelByNode: shown.filter(({ cancelWanted }) => !cancelWanted),
    issueSats,
    callsNode: !clear || issueSats !== null,
  };
}

/** What a customer is shown: the one BOLT11 that may be paid, or why there is none. `before`: the reason so far. */
export function shownOf(
  { keep, wantedSats }: LightningPlan<Bolt11Row>,
  before: MethodReason | null,
): { destination: string | null; reason: MethodReason | null } {
  const destination = keep?.bolt11 ?? null;
  return { destination, reason: destination === null ? whyNone(before, wantedSats) : null };
}

function whyNone(before: MethodReason | null, wantedSats: bigint | null): MethodReason {
  if (wantedSats === null) return "no-longer-payable";
  // The node's last report holds until the next one.
  return before === "node-unavailable" || before === "exceeds-receivable" || before === "node-clock"
    ? before
    : "being-issued";
}
