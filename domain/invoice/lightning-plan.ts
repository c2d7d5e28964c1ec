import { paidSats, remainingSats } from "./sums";
import type { InvoiceFacts } from "./facts";
import { isPayable } from "./is-payable";
import type { MethodReason } from "./method-reason";

/** May still be paid, as far as is known. */
export interface OpenBolt11 {
  amountSats: bigint;
  cancelWanted: boolean;
}

export interface LightningPlan<B extends OpenBolt11> {
  keep: B | null;
  cancel: readonly B[];
  /** Still to be paid by Lightning; null if nothing. Issued when nothing is left in `cancel`. */
  wantedSats: bigint | null;
}

/** A BOLT11 issued later than this before the expiry could not be paid in time. */
const LATEST_ISSUE_MS = 3_000;

/**
 * Nobody should pay twice: a BOLT11 is for exactly what is missing, seen on both networks, while the invoice
 * waits for it.
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

/** Nothing is made where the store has no node for it, nor promised. */
export const withoutNode = <B extends OpenBolt11>(plan: LightningPlan<B>): LightningPlan<B> =>
  plan.keep === null ? { ...plan, wantedSats: null } : plan;

/** `bolt11` is null until LND has issued it, and nobody is shown it before. */
interface Bolt11Row extends OpenBolt11 {
  bolt11: string | null;
}

interface LightningSteps<B> {
  /** Never shown: they cannot be paid, and count as canceled at once. */
  cancelNow: B[];
  /** Shown, and LND has to cancel them. */
  cancelByNode: B[];
  /** Null: none is issued now. */
  issueSats: bigint | null;
  callsNode: boolean;
}

/** A new BOLT11 waits until no shown one can be paid. */
export function stepsOf<B extends Bolt11Row>({
  keep,
  cancel,
  wantedSats,
}: LightningPlan<B>): LightningSteps<B> {
  const shown = cancel.filter(({ bolt11 }) => bolt11 !== null);
  const clear = keep === null && shown.length === 0;
  const issueSats = clear ? wantedSats : null;
  return {
    cancelNow: cancel.filter(({ bolt11 }) => bolt11 === null),
    cancelByNode: shown.filter(({ cancelWanted }) => !cancelWanted),
    issueSats,
    callsNode: !clear || issueSats !== null,
  };
}

/** The one BOLT11 that may be paid, or why there is none. `before`: the reason so far. */
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
