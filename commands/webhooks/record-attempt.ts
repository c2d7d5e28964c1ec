import { FAILING_STREAK } from "../../domain/webhook/claim";
import { batch, perDatabase } from "../../database/batch";
import { inTime } from "../../database/with-deadline";
import { jsonRows } from "../../database/insert-rows";
import { limitConcurrency } from "../../database/limit-concurrency";
import { recordAllDelivered, recordAnswer } from "./attempt-queries";
import type { ClaimedAttempt } from "./claim-attempt";
import type { CommandContext } from "../context";
import type { WebhookAnswer } from "../ports";
import { setHost } from "./queries";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import { type Change, notifyChanges } from "../server/notify-changes";
import { inTransaction, type Tx } from "../transaction";

/**
 * Failures recorded at a time. Hundreds of requests may time out in one moment, and the process's few database
 * connections are also those of the deliveries that begin.
 */
const FAILURES_AT_ONCE = 2;
const inTurnOf = perDatabase(() => limitConcurrency(FAILURES_AT_ONCE));

export interface RecordedAttempt {
  /** When it is sent again by itself; null when it is not. */
  retryAt: Date | null;
}

/**
 * Records the outcome of an attempt. Only its own row changes, and only while that has no final outcome: a late
 * answer replaces `interrupted`. The delivery follows unless the next attempt was requested by hand meanwhile.
 */
export async function recordAttempt(
  ctx: CommandContext,
  attempt: ClaimedAttempt,
  answer: WebhookAnswer,
): Promise<RecordedAttempt> {
  const { deliveryId, number, webhookId, storeId, invoiceId } = attempt;
  const change: Change = { topic: "deliveries", storeId, invoiceId, webhookId, deliveryId };
  const { host = attempt.host } = answer;
  if (host !== attempt.host) await setHost(ctx.db.manager, webhookId, attempt.request.url, host);
  if (answer.outcome === "delivered" && (await recordDelivered(ctx.db)({ attempt, answer }))) {
    notifyChanges(ctx, [change]);
    return { retryAt: null };
  }
  const { outcome, httpStatus, error, durationMs, responseBody, resolvedIp } = answer;
  const record = async (tx: Tx): Promise<RecordedAttempt> => {
    const {
      rows: [recorded],
    } = await recordAnswer(
      tx.manager,
      deliveryId,
      number,
      outcome,
      httpStatus,
      error,
      durationMs,
      responseBody,
      resolvedIp,
      webhookId,
      outcome === "failed" ? await tx.now() : null,
    );
    if (recorded === undefined) return { retryAt: null };
    const { before, after, retryAt } = recorded;
    if (before !== null && after !== null) await alertStreak(tx, attempt, { before, after });
    tx.after(notifyChanges, [
      change,
      ...(before === after ? [] : [{ topic: "webhooks" as const, storeId, webhookId }]),
    ]);
    return { retryAt };
  };
  const begin = (): Promise<RecordedAttempt> => inTransaction(ctx, record);
  return outcome === "failed" ? inTurnOf(ctx.db)(begin) : begin();
}

interface DeliveredAttempt {
  attempt: ClaimedAttempt;
  answer: WebhookAnswer;
}

const keyOf = (deliveryId: string, number: number): string => `${deliveryId} ${number}`;

/**
 * Successes of proven endpoints change nothing else, so simultaneous ones share a statement and its flush to disk
 * (ADR 0060). False when nothing was written.
 */
const recordDelivered = perDatabase((db) =>
  batch<DeliveredAttempt, boolean>(
    async (delivered) => {
      const answers = delivered.map(
        ({
          attempt: { deliveryId, number },
          answer: { httpStatus, durationMs, responseBody, resolvedIp },
        }) => ({
          deliveryId,
          number,
          httpStatus,
          durationMs,
          responseBody,
          resolvedIp,
        }),
      );
      const { rows } = await inTime(recordAllDelivered(db.manager, jsonRows(answers)));
      const written = new Set(rows.map((row) => keyOf(row.deliveryId, row.number)));
      return delivered.map(({ attempt }) => written.has(keyOf(attempt.deliveryId, attempt.number)));
    },
    { runsAtOnce: 2 },
  ),
);

async function alertStreak(
  tx: Tx,
  { webhookId, storeId, automaticRedelivery }: ClaimedAttempt,
  { before, after }: { before: number; after: number },
): Promise<void> {
  if (after === 0 && before >= FAILING_STREAK) await resolveAlert(tx, "deliveries-failing", webhookId);
  // Once per streak: an alert that a person has closed is not opened again by the next failure.
  if (after === FAILING_STREAK)
    await raiseAlert(tx, {
      kind: "deliveries-failing",
      severity: "warning",
      subject: webhookId,
      storeId,
      message: automaticRedelivery
        ? `${FAILING_STREAK} webhook deliveries in a row failed at webhook ${webhookId}. Each is retried automatically for an hour. Fix the endpoint, then redeliver those that failed for good.`
        : `${FAILING_STREAK} webhook deliveries in a row failed at webhook ${webhookId}. They are not retried automatically. Fix the endpoint, then redeliver.`,
    });
}
