/** A delivery's state. `sending` lasts from the attempt row's commit until its answer is recorded. */
export const DELIVERY_STATES = ["pending", "sending", "delivered", "failed", "skipped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const ATTEMPT_CAUSES = ["automatic", "manual"] as const;
export type AttemptCause = (typeof ATTEMPT_CAUSES)[number];

/**
 * When a failed delivery is sent again by itself, in seconds after the attempt before: at webhooks of shop plugins,
 * which ask for it (docs/adr/0063). Native webhooks get one attempt.
 */
export const RETRY_SECONDS = [10, 60, 600, 600, 600, 600, 600, 600] as const;

/**
 * Retries that the invoice's later events wait for: they outlast a restart of the shop. What it refuses for longer holds
 * nothing back (docs/adr/0074).
 */
export const RETRIES_AWAITED = 2;

/** The error of a retry that was not sent, since the endpoint has a later state of the invoice. */
const OVERTAKEN = "overtaken";

/** Whether an attempt's answer may be another one later: no answer at all, or one that says so. */
export function mayRetry({ outcome, httpStatus }: { outcome: string; httpStatus: number | null }): boolean {
  if (outcome !== "failed") return false;
  return httpStatus === null || httpStatus >= 500 || httpStatus === 408 || httpStatus === 429;
}

/** The error of a failed delivery that may have been sent before the database was restored from a backup. */
export const HELD_AFTER_RESTORE = "held-after-restore";

const IN_FLIGHT_LIMIT = 4;
const FAILING_IN_FLIGHT_LIMIT = 1;
/** After this many failed attempts in a row an endpoint counts as failing. */
export const FAILING_STREAK = 3;

/** How many requests an endpoint may have in flight: a failing one gets a single request at a time. */
export function inFlightLimit(failureStreak: number): number {
  return failureStreak >= FAILING_STREAK ? FAILING_IN_FLIGHT_LIMIT : IN_FLIGHT_LIMIT;
}

export interface ClaimFacts {
  state: DeliveryState;
  /** The highest requested number; each is used once. */
  requestedAttempt: number;
  /** The error of the last attempt. */
  error: string | null;
  /** Failed: when it is sent again by itself. Else whether the requested attempt is one of those. */
  retryAt: Date | null;
  /** Neither disabled nor deleted. */
  webhookActive: boolean;
  /** What fails is sent again by itself. */
  automaticRedelivery: boolean;
  now: Date;
  failureStreak: number;
  /** The endpoint's slots that are taken, one for each request in flight. */
  takenSlots: readonly number[];
  /** This one waits for the delivery of an earlier event of the same invoice to this webhook. */
  earlierOpen: boolean;
  /** Of a requested retry of an invoice's state: a later state of it was delivered or, if none was, is being sent. */
  laterState: "delivered" | "sending" | null;
  /** Since when a worker could not read the webhook's secret: its alert is open. */
  unreadableSince: Date | null;
  /** Deliveries of this webhook that wait before this one, counted up to `LINE_LENGTH`. */
  ahead: number;
}

export type ClaimDecision =
  | { kind: "send"; number: number; cause: AttemptCause }
  | { kind: "skip"; error: typeof OVERTAKEN | null }
  /** Its time has come to be sent again: the next attempt is to be requested. */
  | { kind: "retry" }
  /** A retry that was requested and may no longer be sent: it stays failed, as the attempt before it ended. */
  | { kind: "end-retry" }
  | { kind: "wait-for-retry"; delayMs: number }
  | { kind: "done"; reason: string }
  | { kind: "failed"; code: string }
  | { kind: "wait"; delayMs: number };

const SENDING_POLL_MS = 1_000;
const POLL_MS = 500;
const POLL_STEP_MS = 50;
const FAILING_POLL_MS = 5_000;
const FAILING_POLL_STEP_MS = 200;
/** Jobs of an endpoint that wait in the queue. Those further back leave it until they are enqueued again. */
export const LINE_LENGTH = 16;

/**
 * Decides about a job that requests attempt `asked`. A pending delivery has one number that was approved (by the
 * event, or by hand) and has not begun: any job may begin it. In every other state the numbers up to
 * `requestedAttempt` are used, so that a duplicated, stalled or restored job sends nothing; only a Retry in the
 * queue's board requests a higher one. A held delivery ignores that too: a queue that outlived the database has jobs
 * with higher numbers, of attempts that the database has forgotten.
 */
export function decideClaim(facts: ClaimFacts, asked: number): ClaimDecision {
  if (facts.state === "sending") return { kind: "wait", delayMs: SENDING_POLL_MS };
  if (facts.state === "failed" && facts.error === HELD_AFTER_RESTORE) return over("failed", facts.error);
  if (facts.state !== "pending" && asked <= facts.requestedAttempt) return retryOr(facts, facts.state);
  const retry = facts.state === "pending" && facts.retryAt !== null;
  const automatic = retry || (facts.state === "pending" && facts.requestedAttempt === 1);
  if (facts.earlierOpen) return waitForTurn(facts);
  if (retry && !(facts.webhookActive && facts.automaticRedelivery)) return { kind: "end-retry" };
  if (automatic && !facts.webhookActive) return { kind: "skip", error: null };
  if (retry && facts.laterState === "delivered") return { kind: "skip", error: OVERTAKEN };
  if (retry && facts.laterState === "sending") return { kind: "wait", delayMs: SENDING_POLL_MS };
  if (facts.takenSlots.length >= inFlightLimit(facts.failureStreak)) return waitForTurn(facts);
  return {
    kind: "send",
    number: Math.max(asked, facts.requestedAttempt),
    cause: automatic ? "automatic" : "manual",
  };
}

/**
 * The slot for a request that may be sent. Neighbours in the queue take different slots, since each slot is given
 * to one request at a time.
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

function retryOr(
  { retryAt, now, error }: ClaimFacts,
  state: "delivered" | "failed" | "skipped",
): ClaimDecision {
  if (state !== "failed" || retryAt === null) return over(state, error);
  return retryAt <= now
    ? { kind: "retry" }
    : { kind: "wait-for-retry", delayMs: retryAt.getTime() - now.getTime() };
}

function over(state: "delivered" | "failed" | "skipped", error: string | null): ClaimDecision {
  if (state === "failed") return { kind: "failed", code: error ?? "failed" };
  return { kind: "done", reason: `already ${state}` };
}

/** How long a delivery waits for a worker that can read its webhook's secret. */
const SECRET_WAIT_MS = 3_600_000;
/** Workers that disagree about APP_SECRET do not raise and close the alert more often. */
const SECRET_ALERT_MS = 600_000;

/**
 * What a worker does that cannot read the webhook's secret: while APP_SECRET is being changed another one can. Null when
 * none could for too long. `unreadableSince` may be ahead, of before the clock was set back.
 */
export function waitForSecret({
  unreadableSince,
  now,
  ahead,
}: Pick<ClaimFacts, "unreadableSince" | "now" | "ahead">): ReturnType<typeof waitForTurn> | null {
  if (unreadableSince !== null && apart(unreadableSince, now) >= SECRET_WAIT_MS) return null;
  return waitForTurn({ failureStreak: FAILING_STREAK, ahead });
}

/** Whether a worker that can read the secret closes the alert. */
export function endsSecretAlert({
  unreadableSince,
  now,
}: Pick<ClaimFacts, "unreadableSince" | "now">): boolean {
  return unreadableSince !== null && apart(unreadableSince, now) >= SECRET_ALERT_MS;
}

const apart = (a: Date, b: Date): number => Math.abs(a.getTime() - b.getTime());

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
