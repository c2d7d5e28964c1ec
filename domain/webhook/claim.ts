/** A delivery's state. `sending` lasts from the attempt row's commit until its answer is recorded. */
export const DELIVERY_STATES = ["pending", "sending", "delivered", "failed", "skipped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const ATTEMPT_CAUSES = ["automatic", "manual"] as const;
export type AttemptCause = (typeof ATTEMPT_CAUSES)[number];

const IN_FLIGHT_LIMIT = 4;
const FAILING_IN_FLIGHT_LIMIT = 1;
/** From so many failed attempts in a row an endpoint counts as failing. */
export const FAILING_STREAK = 3;

/** How many requests an endpoint may have in flight: a failing one is tried with a single one. */
export function inFlightLimit(failureStreak: number): number {
  return failureStreak >= FAILING_STREAK ? FAILING_IN_FLIGHT_LIMIT : IN_FLIGHT_LIMIT;
}

export interface ClaimFacts {
  state: DeliveryState;
  /** The highest requested number; each is given out once. */
  requestedAttempt: number;
  /** Of the last attempt. */
  error: string | null;
  /** Neither disabled nor deleted. */
  webhookActive: boolean;
  failureStreak: number;
  /** The endpoint's slots that are taken, one for each request that is under way. */
  takenSlots: readonly number[];
  /** An earlier event of the same invoice is still on its way to this webhook. */
  earlierOpen: boolean;
  /** Deliveries of this webhook that wait before this one, counted up to `LINE_LENGTH`. */
  ahead: number;
}

export type ClaimDecision =
  | { kind: "send"; number: number; cause: AttemptCause }
  | { kind: "skip" }
  | { kind: "done"; reason: string }
  | { kind: "failed"; code: string }
  | { kind: "wait"; delayMs: number };

const SENDING_POLL_MS = 1_000;
const POLL_MS = 500;
const POLL_STEP_MS = 50;
const FAILING_POLL_MS = 5_000;
const FAILING_POLL_STEP_MS = 200;
/** Jobs of an endpoint that wait by themselves. Those further back leave the queue until they are called. */
export const LINE_LENGTH = 16;

/**
 * The decision about a job that requests attempt `asked`. A pending delivery has one number that was approved (by the
 * event, or by hand) and not yet begun: any job may begin it. In every other state the numbers up to
 * `requestedAttempt` are used, so that a doubled, stalled or restored job sends nothing; only a Retry in the queue's
 * board requests a higher one.
 */
export function decideClaim(facts: ClaimFacts, asked: number): ClaimDecision {
  if (facts.state === "sending") return { kind: "wait", delayMs: SENDING_POLL_MS };
  if (facts.state !== "pending" && asked <= facts.requestedAttempt) return over(facts.state, facts.error);
  const automatic = facts.state === "pending" && facts.requestedAttempt === 1;
  if (facts.earlierOpen) return waitForTurn(facts);
  if (automatic && !facts.webhookActive) return { kind: "skip" };
  if (facts.takenSlots.length >= inFlightLimit(facts.failureStreak)) return waitForTurn(facts);
  return {
    kind: "send",
    number: Math.max(asked, facts.requestedAttempt),
    cause: automatic ? "automatic" : "manual",
  };
}

/**
 * The slot for a request that may go. Those next to each other in line take different ones, for each is given to one
 * request at a time.
 */
export function freeSlot({
  failureStreak,
  takenSlots,
  ahead,
}: Pick<ClaimFacts, "failureStreak" | "takenSlots" | "ahead">): number {
  const slots = Array.from({ length: inFlightLimit(failureStreak) }, (_, slot) => slot);
  const free = slots.filter((slot) => !takenSlots.includes(slot));
  return free[ahead % free.length] ?? 0;
}

function over(state: "delivered" | "failed" | "skipped", error: string | null): ClaimDecision {
  if (state === "failed") return { kind: "failed", code: error ?? "failed" };
  return { kind: "done", reason: `already ${state}` };
}

/**
 * The end of an attempt wakes the next. Near the front a job also checks again by timer, for it may run just while it
 * is woken; far back it ends, so that a backlog costs the other endpoints nothing: the wake-up, or the sweep, creates
 * a new one.
 */
export function waitForTurn({
  failureStreak,
  ahead,
}: Pick<ClaimFacts, "failureStreak" | "ahead">): ClaimDecision & { kind: "done" | "wait" } {
  if (ahead >= LINE_LENGTH)
    return { kind: "done", reason: "queued behind this endpoint's earlier deliveries" };
  return failureStreak >= FAILING_STREAK
    ? { kind: "wait", delayMs: FAILING_POLL_MS + ahead * FAILING_POLL_STEP_MS }
    : { kind: "wait", delayMs: POLL_MS + ahead * POLL_STEP_MS };
}
