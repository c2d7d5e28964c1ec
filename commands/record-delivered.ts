import { gather } from "../domain/gather";
import type { ClaimedAttempt } from "./claim-attempt";
import { inTime } from "./in-time";
import { perDatabase } from "./per-database";
import type { WebhookAnswer } from "./ports";
import { queryPrepared } from "./query-prepared";

export interface Delivered {
  attempt: ClaimedAttempt;
  answer: WebhookAnswer;
}

/** Whether it is written; if so, whether other deliveries of the endpoint wait. */
export type Written = { written: false } | { written: true; othersWait: boolean };

/** One that hangs does not hold up the others. */
const RUNS = { runsAtOnce: 2 };

const keyOf = (deliveryId: string, number: number): string => `${deliveryId} ${number}`;

/**
 * Writes that attempts were delivered, where that changes nothing else: of endpoints that have not failed just before.
 * Those that end meanwhile are written together, by one statement.
 */
export const recordDelivered = perDatabase((db) =>
  gather<Delivered, Written>(async (ended) => {
    const rows = await inTime(
      queryPrepared<{ deliveryId: string; number: number; othersWait: boolean }>(db.manager, RECORD, [
        ended.map(({ attempt }) => attempt.deliveryId),
        ended.map(({ attempt }) => attempt.number),
        ended.map(({ answer }) => answer.httpStatus),
        ended.map(({ answer }) => answer.durationMs),
        ended.map(({ answer }) => answer.responseBody),
        ended.map(({ answer }) => answer.resolvedIp),
      ]),
    );
    const waits = new Map(rows.map((row) => [keyOf(row.deliveryId, row.number), row.othersWait]));
    return ended.map(({ attempt: { deliveryId, number } }) => {
      const othersWait = waits.get(keyOf(deliveryId, number));
      return othersWait === undefined ? { written: false } : { written: true, othersWait };
    });
  }, RUNS),
);

/**
 * Locks deliveries in the order of their ids, like all who lock several, and then their attempts. `ORDER BY` keeps
 * Postgres to the webhook's own index, as in look-at-delivery.
 */
const RECORD = `
  WITH answered AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::bytea[], $6::text[])
               AS a(id, number, http_status, duration_ms, response_body, resolved_ip)),
  locked AS MATERIALIZED (
    SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY($1) ORDER BY d.id FOR NO KEY UPDATE),
  attempt AS (
    UPDATE webhook_attempts t
       SET state = 'delivered', http_status = a.http_status, error = NULL, duration_ms = a.duration_ms,
           response_body = a.response_body, resolved_ip = a.resolved_ip
      FROM locked l JOIN answered a ON a.id = l.id
     WHERE t.delivery_id = a.id AND t.number = a.number
       AND (t.state = 'sending' OR (t.state = 'failed' AND t.error = 'interrupted'))
       AND (SELECT w.failure_streak FROM webhooks w WHERE w.id = t.webhook_id) = 0
    RETURNING t.delivery_id, t.number, t.webhook_id, t.http_status, t.duration_ms),
  delivery AS (
    UPDATE webhook_deliveries d
       SET state = 'delivered', http_status = t.http_status, error = NULL, duration_ms = t.duration_ms
      FROM attempt t WHERE d.id = t.delivery_id AND d.requested_attempt = t.number)
  SELECT delivery_id AS "deliveryId", number,
         (SELECT true FROM webhook_deliveries p
           WHERE p.webhook_id = attempt.webhook_id AND p.state = 'pending'
           ORDER BY p.event_seq LIMIT 1) IS NOT NULL AS "othersWait"
    FROM attempt`;
