import { claimAttempt, type ClaimedAttempt } from "./claim-attempt";
import type { CommandContext } from "../context";
import type { JobOutcome, Jobs } from "../jobs";
import type { WebhookAnswer } from "../ports";
import { recordAttempt, type RecordedAttempt } from "./record-attempt";
import { releaseDeliveries, underWayOf } from "./release";

const RECORD_TRIES = 20;
const RECORD_PAUSE_MS = 1_000;

/**
 * An attempt at one delivery: claim its number, send, record, and release what has room now. Whatever dies, a number
 * is sent at most once: before the claim's commit nothing was sent and any job may begin again, after it none does.
 * Rejects only when the database is away; then either nothing was sent, or the sweep will mark the attempt
 * interrupted.
 */
export async function attemptWebhook(
  ctx: CommandContext,
  { deliveryId }: Pick<Jobs["webhook-delivery"], "deliveryId">,
): Promise<JobOutcome> {
  const { outcome, freed } = await underWayOf(ctx.db).attempt(() => attempt(ctx, deliveryId));
  if (freed !== null) await releaseDeliveries(ctx, [freed]);
  return outcome;
}

/** `freed` is the webhook whose next deliveries may be sent now. */
async function attempt(
  ctx: CommandContext,
  deliveryId: string,
): Promise<{ outcome: JobOutcome; freed: string | null }> {
  const claim = await claimAttempt(ctx, deliveryId);
  if (claim.kind === "over") return claim;
  const { attempt } = claim;
  const answer = await send(ctx, attempt);
  const { retryAt } = await recordPatiently(ctx, attempt, answer);
  const { outcome, httpStatus, error, durationMs } = answer;
  ctx.log.info(
    { deliveryId, attempt: attempt.number, webhookId: attempt.webhookId, httpStatus, error, durationMs },
    `webhook: delivery ${outcome}`,
  );
  return { outcome: outcomeOf(answer, retryAt), freed: attempt.webhookId };
}

function outcomeOf({ outcome, error }: WebhookAnswer, retryAt: Date | null): JobOutcome {
  if (retryAt !== null) return { kind: "done", reason: "failed, and will be sent again" };
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
