import type { JsonRows } from "../../database/insert-rows";
import { elementsOf, statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import type { AttemptCause, ClaimFacts } from "../../domain/webhook/claim";
import type { DialectEvent, PartFields, WebhookDialect } from "../../domain/webhook/dialect";
import { REQUEST_SECONDS } from "../../domain/webhook/dialect";
import type { WebhookAnswer } from "../ports";
import { isBefore, isStateEvent, PROVEN, retryAfter } from "./queries";

// The statements of an attempt, from the read without locks to its answer.

/** Everything that an attempt is decided by and made from, as it was at `now`. */
export interface LoadedDelivery extends ClaimFacts {
  now: Date;
  /** Since when a worker could not read the webhook's secret: its alert is open. */
  unreadableSince: Date | null;
  deliveryId: string;
  eventId: string;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  /** The event's. */
  body: Buffer | null;
  test: boolean;
  dialect: WebhookDialect;
  dialectType: DialectEvent | null;
  dialectFields: PartFields | null;
  createdAt: Date;
  url: string;
  /** The host that the limits count. */
  host: string | null;
  secretEncrypted: Buffer;
  previousSecretEncrypted: Buffer | null;
  previousSecretUntil: Date | null;
}

/** By `LIMIT 1` no plan reads a whole table. */
export const loadDeliveries = statement<[ids: readonly string[]], Omit<LoadedDelivery, "now">>(
  "webhooks.load-deliveries",
  `SELECT d.id AS "deliveryId", d.state, d.requested_attempt AS "requestedAttempt", d.error,
          d.event_id AS "eventId", d.webhook_id AS "webhookId", d.store_id AS "storeId",
          d.invoice_id AS "invoiceId", e.body, e.test, w.url, w.host,
          w.dialect, d.dialect_type AS "dialectType", d.dialect_fields AS "dialectFields", d.created_at AS "createdAt",
          d.retry_at AS "retryAt", w.automatic_redelivery AS "automaticRedelivery",
          w.enabled AND w.deleted_at IS NULL AS "webhookActive",
          w.secret_encrypted AS "secretEncrypted",
          w.previous_secret_encrypted AS "previousSecretEncrypted",
          w.previous_secret_until AS "previousSecretUntil",
          (SELECT alert.at FROM alerts alert WHERE alert.kind = 'secret-unreadable' AND alert.subject = w.id
              AND alert.resolved_at IS NULL) AS "unreadableSince",
          d.retry_at IS NOT NULL AND ${isStateEvent("d")} AND (SELECT true FROM webhook_deliveries l
            WHERE l.invoice_id = d.invoice_id AND l.webhook_id = d.webhook_id AND ${isBefore("d", "l")}
              AND ${unindexed("l.state")} = 'delivered' AND ${isStateEvent("l")} LIMIT 1) IS NOT NULL AS overtaken
     FROM unnest(${elementsOf("$1::text[]")}) AS asked (id),
          LATERAL (SELECT * FROM webhook_deliveries WHERE id = asked.id LIMIT 1) AS d,
          LATERAL (SELECT * FROM webhooks WHERE id = d.webhook_id LIMIT 1) AS w,
          LATERAL (SELECT * FROM invoice_events WHERE id = d.event_id LIMIT 1) AS e`,
);

/** An attempt that was decided by a read without locks. */
export interface AttemptStart {
  deliveryId: string;
  number: number;
  cause: AttemptCause;
  headers: Readonly<Record<string, string>>;
  /** 16 bytes of this beginning only, in hexadecimal: it distinguishes its row from those of other processes. */
  claim: string;
}

/**
 * Asked again with the same claim, because the answer was lost, it returns what it began before, which begins now.
 * Locks deliveries in the order of their ids.
 */
export const beginAttempts = statement<[starts: JsonRows<AttemptStart>], { claim: string }>(
  "webhooks.begin-attempts",
  `WITH start AS MATERIALIZED (SELECT * FROM json_to_recordset($1)
       AS s("deliveryId" text, number int, cause text, headers jsonb, claim uuid)),
   locked AS MATERIALIZED (
     SELECT d.id, d.webhook_id, d.event_id, d.requested_attempt FROM webhook_deliveries d
      WHERE d.id = ANY(ARRAY(SELECT "deliveryId" FROM start)) AND ${unindexed("d.state")} IN ('queued', 'sending')
      ORDER BY d.id FOR NO KEY UPDATE),
   attempt AS (
     INSERT INTO webhook_attempts AS a (delivery_id, number, webhook_id, cause, started_at, sent_headers, claim)
     SELECT DISTINCT ON (d.id) d.id, s.number, d.webhook_id, s.cause, clock_timestamp(), s.headers, s.claim
       FROM locked d JOIN start s ON s."deliveryId" = d.id AND s.number = d.requested_attempt
      WHERE EXISTS (SELECT 1 FROM invoice_events e WHERE e.id = d.event_id AND e.body IS NOT NULL)
     ON CONFLICT (delivery_id, number) DO UPDATE SET started_at = excluded.started_at
      WHERE a.claim = excluded.claim AND a.state = 'sending'
     RETURNING delivery_id, started_at, claim),
   delivery AS (
     UPDATE webhook_deliveries d
        SET state = 'sending', attempt_count = d.attempt_count + (d.state = 'queued')::int, last_attempt_at = a.started_at,
            http_status = NULL, error = NULL, duration_ms = NULL
       FROM attempt a WHERE d.id = a.delivery_id)
   SELECT encode(uuid_send(claim), 'hex') AS claim FROM attempt`,
);

/** Ends a queued delivery without an attempt. Changes nothing when it has changed since it was read. */
export const endUnsent = statement<
  [deliveryId: string, number: number, state: "skipped" | "failed", error: string | null]
>(
  "webhooks.end-unsent",
  `UPDATE webhook_deliveries SET state = $3, error = $4, retry_at = NULL
    WHERE id = $1 AND state = 'queued' AND requested_attempt = $2`,
);

/** SQL: the outcome of the attempt `a` is unknown, and the sweep's mark is replaced by a late answer. */
const awaitsAnswer = (a: string): string =>
  `(${a}.state = 'sending' OR (${a}.state = 'failed' AND ${a}.error = 'interrupted'))`;

/** Locks the webhook if its failure streak changes, then the delivery, then the attempt. */
export const recordAnswer = statement<
  [
    deliveryId: string,
    number: number,
    outcome: WebhookAnswer["outcome"],
    httpStatus: number | null,
    error: string | null,
    durationMs: number,
    responseBody: Buffer | null,
    resolvedIp: string | null,
    webhookId: string,
    /** Null when it was delivered. */
    failedAt: Date | null,
  ],
  {
    /** When it is sent again by itself. */
    retryAt: Date | null;
    /** The endpoint's failures in a row before and after it; null where they stay at none. */
    before: number | null;
    after: number | null;
  }
>(
  "webhooks.record-answer",
  `WITH webhook AS MATERIALIZED (
     SELECT w.id, w.failure_streak, w.automatic_redelivery, w.enabled, w.deleted_at FROM webhooks w
      WHERE w.id = $9 AND NOT ($3 = 'delivered' AND ${PROVEN}) FOR NO KEY UPDATE),
   delivery AS MATERIALIZED (
     SELECT d.id FROM webhook_deliveries d
      WHERE d.id = $1 AND (SELECT count(*) FROM webhook) >= 0 FOR NO KEY UPDATE),
   attempt AS (
     UPDATE webhook_attempts a
        SET state = $3, http_status = $4, error = $5, duration_ms = $6, response_body = $7, resolved_ip = $8
      WHERE delivery_id = (SELECT id FROM delivery) AND number = $2 AND ${awaitsAnswer("a")}
     RETURNING delivery_id),
   followed AS (
     UPDATE webhook_deliveries d SET state = $3, http_status = $4, error = $5, duration_ms = $6,
            retry_at = (SELECT ${retryAfter("$10::timestamptz", "$4::int", "d", "webhook")} FROM webhook)
      WHERE d.id = (SELECT delivery_id FROM attempt) AND d.requested_attempt = $2
     RETURNING d.retry_at),
   streak AS (
     UPDATE webhooks w
        SET failure_streak = CASE $3 WHEN 'delivered' THEN 0 ELSE webhook.failure_streak + 1 END,
            ever_delivered = w.ever_delivered OR $3 = 'delivered'
       FROM webhook WHERE w.id = webhook.id AND EXISTS (SELECT FROM attempt)
     RETURNING webhook.failure_streak AS before, w.failure_streak AS after)
   SELECT streak.before, streak.after, (SELECT retry_at FROM followed) AS "retryAt"
     FROM attempt LEFT JOIN streak ON true`,
);

export interface DeliveredAnswer extends Pick<
  WebhookAnswer,
  "httpStatus" | "durationMs" | "responseBody" | "resolvedIp"
> {
  deliveryId: string;
  number: number;
}

/**
 * Attempts delivered to endpoints whose previous attempt succeeded. Locks deliveries in the order of their ids,
 * like every lock of several, and then their attempts.
 */
export const recordAllDelivered = statement<
  [answers: JsonRows<DeliveredAnswer>],
  { deliveryId: string; number: number }
>(
  "webhooks.record-all-delivered",
  `WITH answered AS MATERIALIZED (SELECT * FROM json_to_recordset($1)
       AS a("deliveryId" text, number int, "httpStatus" int, "durationMs" int, "responseBody" bytea, "resolvedIp" text)),
   locked AS MATERIALIZED (
     SELECT d.id FROM (SELECT "deliveryId" AS id FROM answered ORDER BY 1) AS a,
            LATERAL (SELECT id FROM webhook_deliveries WHERE id = a.id FOR NO KEY UPDATE) AS d),
   attempt AS (
     UPDATE webhook_attempts t
        SET state = 'delivered', http_status = a."httpStatus", error = NULL, duration_ms = a."durationMs",
            response_body = a."responseBody", resolved_ip = a."resolvedIp"
       FROM locked l JOIN answered a ON a."deliveryId" = l.id
      WHERE t.delivery_id = l.id AND t.number = a.number AND ${awaitsAnswer("t")}
        AND (SELECT ${PROVEN} FROM webhooks w WHERE w.id = t.webhook_id)
     RETURNING t.delivery_id, t.number, t.webhook_id, t.http_status, t.duration_ms),
   delivery AS (
     UPDATE webhook_deliveries d
        SET state = 'delivered', http_status = t.http_status, error = NULL, duration_ms = t.duration_ms,
            retry_at = NULL
       FROM attempt t WHERE d.id = t.delivery_id AND d.requested_attempt = t.number)
   SELECT delivery_id AS "deliveryId", number FROM attempt`,
);

/** By then a process has died that has not recorded an answer. One so far ahead is of before the clock was set back. */
const STUCK_AFTER = `(CASE w.dialect WHEN 'native' THEN ${REQUEST_SECONDS.native} ELSE ${REQUEST_SECONDS.greenfield} END
                      + 5) * interval '1 second'`;

/** The delivery is locked before the attempt, as everywhere. If it is locked already, the answer is being recorded. */
export const interruptStuck = statement<
  [now: Date],
  { deliveryId: string; attempt: number; webhookId: string; storeId: string; invoiceId: string }
>(
  "webhooks.interrupt-stuck",
  `WITH stuck AS (
     SELECT d.id, d.requested_attempt AS number FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
      WHERE d.state = 'sending'
        AND d.last_attempt_at NOT BETWEEN $1::timestamptz - ${STUCK_AFTER} AND $1::timestamptz + ${STUCK_AFTER}
        FOR NO KEY UPDATE OF d SKIP LOCKED
   ), interrupted AS (
     UPDATE webhook_attempts a SET state = 'failed', error = 'interrupted' FROM stuck
      WHERE a.delivery_id = stuck.id AND a.number = stuck.number AND a.state = 'sending'
     RETURNING a.delivery_id, a.number, a.webhook_id
   ), ended AS (
     UPDATE webhook_deliveries d
        SET state = 'failed', error = 'interrupted', retry_at = ${retryAfter("$1::timestamptz", "NULL::int", "d", "w")}
       FROM interrupted i JOIN webhooks w ON w.id = i.webhook_id
      WHERE d.id = i.delivery_id AND d.requested_attempt = i.number AND d.state = 'sending'
   )
   SELECT i.delivery_id AS "deliveryId", i.number AS attempt, i.webhook_id AS "webhookId",
          d.store_id AS "storeId", d.invoice_id AS "invoiceId"
     FROM interrupted i JOIN webhook_deliveries d ON d.id = i.delivery_id`,
  "each time",
);
