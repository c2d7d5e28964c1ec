import { claimAttempt, type ClaimedAttempt } from "./claim-attempt";
import type { CommandContext } from "../context";
import type { JobOutcome, Work } from "../jobs";
import { wakeWebhooks } from "./next-deliveries";
import type { WebhookAnswer } from "../ports";
import { recordAttempt, type RecordedAttempt } from "./record-attempt";
import { type SendPlace, sendPlace } from "./send-place";

const RECORD_TRIES = 20;
const RECORD_PAUSE_MS = 1_000;

/**
 * One attempt at one delivery: claim its number, send, record. Whatever dies, a number is sent at most once: before
 * the claim's commit nothing was sent and any job may begin again, after it none does. Rejects only when the
 * database is away; then either nothing was sent, or the sweep will mark the attempt interrupted.
 */
export async function attemptWebhook(
  ctx: CommandContext,
  work: Work<"webhook-delivery">,
): Promise<JobOutcome> {
  const place = sendPlace(ctx, work);
  try {
    return await attemptFrom(ctx, work, place);
  } finally {
    place.leave();
  }
}

async function attemptFrom(
  ctx: CommandContext,
  work: Work<"webhook-delivery">,
  place: SendPlace,
): Promise<JobOutcome> {
  const { deliveryId } = work;
  const claim = await claimAttempt(ctx, work, place);
  if (claim.kind === "over") {
    if (claim.freed !== null) await wakeWebhooks(ctx, [claim.freed]);
    return claim.outcome;
  }
  const { attempt } = claim;
  const answer = await send(ctx, attempt);
  const { othersWait, retryInMs } = await recordPatiently(ctx, attempt, answer);
  const { outcome, httpStatus, error, durationMs } = answer;
  ctx.log.info(
    { deliveryId, attempt: attempt.number, webhookId: attempt.webhookId, httpStatus, error, durationMs },
    `webhook: delivery ${outcome}`,
  );
  if (othersWait) await wakeWebhooks(ctx, [attempt.webhookId]);
  // The job waits for its next attempt; when it is lost, the sweep finds the delivery.
  if (retryInMs !== null) return { kind: "wait", delayMs: retryInMs };
  if (outcome === "failed") return { kind: "failed", code: error ?? "failed" };
  return { kind: "done", reason: "delivered" };
}

/**
 * An error thrown by the client is a defect of ours, and not caused by the endpoint. Its text could quote a URL or
 * a header.
 */
async function send(ctx: CommandContext, attempt: ClaimedAttempt): Promise<WebhookAnswer> {
  try {
    return await ctx.sendWebhook(attempt.request);
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error;
    ctx.log.error({ deliveryId: attempt.deliveryId, error: name }, "webhook: attempt failed");
    return {
      outcome: "failed",
      httpStatus: null,
      error: "internal-error",
      durationMs: 0,
      responseBody: null,
      resolvedIp: null,
    };
  }
}

/** The answer is known nowhere else, so this waits for a database that is away for a moment. */
async function recordPatiently(
  ctx: CommandContext,
  attempt: ClaimedAttempt,
  answer: WebhookAnswer,
): Promise<RecordedAttempt> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await recordAttempt(ctx, attempt, answer);
    } catch (error) {
      if (tries === RECORD_TRIES) throw error;
      ctx.log.warn({ deliveryId: attempt.deliveryId, tries }, "webhook: outcome not recorded yet, retrying");
      await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS));
    }
  }
}
