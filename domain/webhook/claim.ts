/** A delivery's states as the API names them. `sending` lasts from the attempt row's commit until its answer is recorded. */
export const DELIVERY_STATES = ["pending", "sending", "delivered", "failed", "skipped"] as const;
export type ShownState = (typeof DELIVERY_STATES)[number];

/** The row's states; `queued` may be sent now and has a job. docs/webhooks.md shows how they follow each other. */
export type DeliveryState = ShownState | "queued";

export const shownState = (state: DeliveryState): ShownState => (state === "queued" ? "pending" : state);

export const ATTEMPT_CAUSES = ["automatic", "manual"] as const;
export type AttemptCause = (typeof ATTEMPT_CAUSES)[number];

/**
 * Seconds after the attempt before, for webhooks of shop plugins, which ask for retries (ADR 0003). Native webhooks
 * get one attempt.
 */
export const RETRY_SECONDS = [10, 60, 600, 600, 600, 600, 600, 600] as const;

/**
 * Retries that the invoice's later events wait for: they outlast a restart of the shop. What it refuses for longer holds
 * nothing back (docs/adr/0003).
 */
export const RETRIES_AWAITED = 2;

/** The error of a retry that was not sent, since the endpoint has a later state of the invoice. */
const OVERTAKEN = "overtaken";

/** The error of a failed delivery that may have been sent before the database was restored from a backup. */
export const HELD_AFTER_RESTORE = "held-after-restore";

/** After this many failed attempts in a row an endpoint counts as failing. */
export const FAILING_STREAK = 3;

/** Deliveries in flight (queued or being sent): of the installation, and of these at most. */
export const IN_FLIGHT = {
  all: 600,
  /** To endpoints whose last attempt failed; the rest is for those whose last attempt succeeded. */
  unproven: 300,
  host: 128,
  store: 100,
  storeAndHost: 16,
  endpoint: 4,
  failingEndpoint: 1,
} as const;

export interface ClaimFacts {
  state: DeliveryState;
  /** The highest requested number; each is used once. */
  requestedAttempt: number;
  /** The error of the last attempt. */
  error: string | null;
  /** Failed: when it is sent again by itself. Queued: whether the requested attempt is such a retry. */
  retryAt: Date | null;
  /** Neither disabled nor deleted. */
  webhookActive: boolean;
  /** A failed delivery is sent again by itself. */
  automaticRedelivery: boolean;
  /** It reports a state of the invoice, and a later one was delivered. */
  overtaken: boolean;
}

export type ClaimDecision =
  | { kind: "send"; cause: AttemptCause }
  /** It ends without an attempt. */
  | { kind: "end"; state: "skipped" | "failed"; error: string | null; reason: string }
  | { kind: "done"; reason: string }
  | { kind: "failed"; code: string };

/** Decides about a job. Only a queued delivery is sent: a duplicated, stalled or restored job finds it in another state. */
export function decideClaim(facts: ClaimFacts): ClaimDecision {
  const { state, error, retryAt, webhookActive } = facts;
  if (state === "failed" && retryAt === null) return { kind: "failed", code: error ?? "failed" };
  if (state !== "queued") return { kind: "done", reason: `already ${state}` };
  const retry = retryAt !== null;
  if (retry && !(webhookActive && facts.automaticRedelivery)) {
    const reason = "not retried: the webhook is disabled or asks for none";
    return { kind: "end", state: "failed", error, reason };
  }
  const automatic = retry || facts.requestedAttempt === 1;
  if (automatic && !webhookActive)
    return {
      kind: "end",
      state: "skipped",
      error: null,
      reason: "skipped: the webhook is disabled or deleted",
    };
  if (retry && facts.overtaken)
    return { kind: "end", state: "skipped", error: OVERTAKEN, reason: `skipped: ${OVERTAKEN}` };
  return { kind: "send", cause: automatic ? "automatic" : "manual" };
}

/** How long a delivery waits for a worker that can read its webhook's secret. */
const SECRET_WAIT_MS = 3_600_000;
/** Workers that disagree about APP_SECRET do not raise and close the alert more often. */
const SECRET_ALERT_MS = 600_000;

interface Unreadable {
  now: Date;
  /** Since when a worker could not read the webhook's secret: its alert is open. Ahead if the clock was set back since. */
  unreadableSince: Date | null;
}

/** While APP_SECRET is being changed another worker can read a webhook's secret; whether none could for too long. */
export const isSecretLost = (at: Unreadable): boolean => unreadableMs(at) >= SECRET_WAIT_MS;

/** Whether a worker that can read the secret closes the alert. */
export const endsSecretAlert = (at: Unreadable): boolean => unreadableMs(at) >= SECRET_ALERT_MS;

const unreadableMs = ({ now, unreadableSince: since }: Unreadable): number =>
  since === null ? 0 : Math.abs(now.getTime() - since.getTime());
