import { statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import { FAILING_STREAK, IN_FLIGHT } from "../../domain/webhook/claim";
import { HAS_EARLIER_UNFINISHED_DELIVERY, isBefore, isStateEvent, PROVEN } from "./queries";
import { waitsForRetry } from "../../entities/webhook-delivery";

// Which deliveries may be sent: `release`, and the two statements around it.

/** A delivery that may be sent now. */
export interface Released {
  deliveryId: string;
  attempt: number;
}

/** Whether anything is pending, or waits for a retry at one of these webhooks. */
export const anythingWaits = statement<[webhookIds: readonly string[]], { waits: boolean }>(
  "webhooks.anything-waits",
  `SELECT (SELECT true FROM webhook_deliveries WHERE state = 'pending' ORDER BY webhook_id, event_seq LIMIT 1) IS NOT NULL
       OR (SELECT true FROM webhook_deliveries d WHERE ${waitsForRetry("d")} AND webhook_id = ANY($1::text[])
            LIMIT 1) IS NOT NULL AS waits`,
);

/** Any number, of nothing else in the database. */
const LOCK = 4_027_315;

/**
 * Two releases at once would not see each other's rows. The commit does not wait for the disk, since a release that
 * a crash undoes is made again.
 */
export const lockLimits = statement(
  "webhooks.lock-limits",
  `SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '2s', true),
          pg_advisory_xact_lock(${LOCK})`,
);

/** Webhooks that are read beside the given ones. */
const WEBHOOKS_READ = 100;
/** Deliveries of a webhook that are read: those before them may all wait for earlier ones of their invoices. */
const DELIVERIES_READ = 200;

/** SQL: the retry `d` reports a state of the invoice, and a later one is on its way: it would set the shop back. */
const LATER_STATE_UNDER_WAY = `(${isStateEvent("d")} AND (SELECT true FROM webhook_deliveries l
  WHERE l.invoice_id = d.invoice_id AND l.webhook_id = d.webhook_id AND ${isBefore("d", "l")}
    AND ${unindexed("l.state")} IN ('queued', 'sending') AND ${isStateEvent("l")} LIMIT 1) IS NOT NULL)`;

/** SQL: the first deliveries of the webhook `lane` that nothing earlier of their invoice holds back. */
const firstOf = (from: string, order: string): string =>
  `(SELECT d.id, d.invoice_id, d.event_seq, d.part
      FROM (SELECT * FROM webhook_deliveries d WHERE ${from} ORDER BY ${order} LIMIT ${DELIVERIES_READ}) AS d
     WHERE NOT ${HAS_EARLIER_UNFINISHED_DELIVERY} AND NOT (d.retry_at IS NOT NULL AND ${LATER_STATE_UNDER_WAY})
     ORDER BY ${order} LIMIT ${IN_FLIGHT.endpoint})`;

const PENDING_OF_LANE = firstOf("d.webhook_id = lane.id AND d.state = 'pending'", "d.event_seq");
const DUE_OF_LANE = firstOf(
  `d.webhook_id = lane.id AND ${waitsForRetry("d")} AND d.retry_at <= $3::timestamptz`,
  "d.retry_at",
);

/** SQL: the next webhook after one that has a delivery which waits. Found by one step through each index. */
const nextAfter = (webhookId: string): string =>
  `least((SELECT d.webhook_id FROM webhook_deliveries d WHERE d.state = 'pending' AND d.webhook_id > ${webhookId}
           ORDER BY d.webhook_id, d.event_seq LIMIT 1),
         (SELECT d.webhook_id FROM webhook_deliveries d WHERE ${waitsForRetry("d")} AND d.webhook_id > ${webhookId}
           ORDER BY d.webhook_id, d.retry_at LIMIT 1))`;

/** SQL: webhooks whose deliveries stay queued until a process can read the secret. They take no place of others'. */
const UNREADABLE = `ARRAY(SELECT subject FROM alerts WHERE kind = 'secret-unreadable' AND resolved_at IS NULL)`;

/** SQL: how many are in flight, for each value of these columns. */
const inFlight = (columns: string): string =>
  `(SELECT ${columns}, count(*) AS n FROM flight GROUP BY ${columns})`;

/**
 * As many as the limits allow: an invoice's one by one, each store's first before any second. Returns the place to
 * continue from, null at the end.
 */
export const release = statement<
  [webhookIds: readonly string[], after: string, now: Date],
  { released: Released[]; last: string | null }
>(
  "webhooks.release",
  `WITH RECURSIVE waiting (webhook_id, place) AS (
     SELECT ${nextAfter("$2::text")}, 1
      UNION ALL
     SELECT ${nextAfter("waiting.webhook_id")}, place + 1 FROM waiting
      WHERE webhook_id IS NOT NULL AND place < ${WEBHOOKS_READ}),
   flight AS MATERIALIZED (
     SELECT w.id, w.store_id, w.host, ${PROVEN} AS proven, w.id = ANY(${UNREADABLE}) AS unreadable
       FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.state IN ('queued', 'sending')),
   total AS MATERIALIZED (SELECT count(*) AS n, count(*) FILTER (WHERE NOT proven) AS unproven
             FROM flight WHERE NOT unreadable),
   lane AS MATERIALIZED (
     SELECT w.id, w.store_id, w.host, ${PROVEN} AS proven, coalesce(of_store.n, 0) AS store_n,
            coalesce(of_both.n, 0) AS both_n, coalesce(of_host.n, 0) AS host_n,
            CASE WHEN w.failure_streak >= ${FAILING_STREAK} THEN ${IN_FLIGHT.failingEndpoint}
                 ELSE ${IN_FLIGHT.endpoint} END - coalesce(of_webhook.n, 0) AS free
       FROM webhooks w
       LEFT JOIN ${inFlight("id")} AS of_webhook ON of_webhook.id = w.id
       LEFT JOIN ${inFlight("store_id")} AS of_store ON of_store.store_id = w.store_id
       LEFT JOIN ${inFlight("store_id, host")} AS of_both ON of_both.store_id = w.store_id AND of_both.host = w.host
       LEFT JOIN ${inFlight("host")} AS of_host ON of_host.host = w.host
      WHERE w.id = ANY(ARRAY(SELECT unnest($1::text[]) UNION SELECT webhook_id FROM waiting))),
   first AS (
     SELECT one.*, lane.*, row_number() OVER (PARTITION BY lane.id ORDER BY event_seq, part) AS nth
       FROM total CROSS JOIN lane CROSS JOIN LATERAL (
         SELECT id AS delivery_id, event_seq, part,
                row_number() OVER (PARTITION BY invoice_id ORDER BY event_seq, part) AS of_invoice
           FROM (${PENDING_OF_LANE} UNION ALL ${DUE_OF_LANE}) AS any_of
          ORDER BY event_seq, part) AS one
      WHERE free > 0 AND store_n < ${IN_FLIGHT.store} AND total.n < ${IN_FLIGHT.all}
        AND (proven OR total.unproven < ${IN_FLIGHT.unproven}) AND of_invoice = 1),
   of_store AS (
     SELECT *, store_n + row_number() OVER (PARTITION BY store_id ORDER BY nth, event_seq) AS in_store,
            both_n + row_number() OVER (PARTITION BY store_id, host ORDER BY nth, event_seq) AS in_both
       FROM first WHERE nth <= free),
   of_all AS (
     SELECT *, host_n + row_number() OVER (PARTITION BY host ORDER BY in_store, event_seq) AS in_host,
            row_number() OVER (PARTITION BY proven ORDER BY in_store, event_seq) AS in_kind
       FROM of_store
      WHERE in_store <= ${IN_FLIGHT.store} AND (host IS NULL OR in_both <= ${IN_FLIGHT.storeAndHost})),
   chosen AS (
     SELECT delivery_id FROM of_all CROSS JOIN total
      WHERE (host IS NULL OR in_host <= ${IN_FLIGHT.host})
        AND (proven OR total.unproven + in_kind <= ${IN_FLIGHT.unproven})
      ORDER BY in_store, event_seq LIMIT greatest(0, ${IN_FLIGHT.all} - (SELECT n FROM total))),
   locked AS MATERIALIZED (
     SELECT d.id FROM webhook_deliveries d
      WHERE d.id = ANY(ARRAY(SELECT delivery_id FROM chosen))
        AND (${unindexed("d.state")} = 'pending' OR ${unindexed("d.state")} = 'failed' AND d.retry_at <= $3::timestamptz)
        FOR NO KEY UPDATE SKIP LOCKED),
   released AS (
     UPDATE webhook_deliveries d
        SET state = 'queued', requested_attempt = d.requested_attempt + (d.state = 'failed')::int,
            retry_count = d.retry_count + (d.state = 'failed')::int
       FROM locked WHERE d.id = locked.id
     RETURNING d.id AS "deliveryId", d.requested_attempt AS attempt)
   SELECT coalesce((SELECT json_agg(released) FROM released), '[]') AS released,
          (SELECT webhook_id FROM waiting WHERE place = ${WEBHOOKS_READ}) AS last`,
);

/** All that may be sent, with or without a job. */
export const readQueued = statement<[], Released>(
  "webhooks.read-queued",
  `SELECT id AS "deliveryId", requested_attempt AS attempt FROM webhook_deliveries WHERE state = 'queued'`,
);
