import type { AttemptCause, DeliveryState } from "../domain/webhook/claim";
import { gather } from "../domain/gather";
import { inTime } from "./in-time";
import { perDatabase } from "./per-database";
import { queryPrepared } from "./query-prepared";

/** An attempt that was decided by a look without locks. */
export interface Beginning {
  deliveryId: string;
  webhookId: string;
  number: number;
  slot: number;
  cause: AttemptCause;
  now: Date;
  headers: Readonly<Record<string, string>>;
  /** The delivery as it was seen: it begins only if it is so still. */
  state: DeliveryState;
  requestedAttempt: number;
}

/**
 * Commits an attempt's row and calls its delivery `sending`, in one statement. False when somebody was faster: the
 * number or the endpoint's slot is taken, or the delivery is not any more what it was. Those that begin meanwhile are
 * committed together.
 */
export const beginAttempt = perDatabase((db) =>
  gather<Beginning, boolean>(async (asked) => {
    const first = new Map<string, Beginning>();
    for (const one of asked) if (!first.has(one.deliveryId)) first.set(one.deliveryId, one);
    const each = [...first.values()];
    const begun = await inTime(
      queryPrepared<{ deliveryId: string }>(db.manager, BEGIN, [
        each.map(({ deliveryId }) => deliveryId),
        each.map(({ webhookId }) => webhookId),
        each.map(({ number }) => number),
        each.map(({ slot }) => slot),
        each.map(({ cause }) => cause),
        each.map(({ now }) => now),
        each.map(({ headers }) => JSON.stringify(headers)),
        each.map(({ state }) => state),
        each.map(({ requestedAttempt }) => requestedAttempt),
      ]),
    );
    const ids = new Set(begun.map(({ deliveryId }) => deliveryId));
    return asked.map((one) => first.get(one.deliveryId) === one && ids.has(one.deliveryId));
  }),
);

/**
 * A delivery that is locked is just being erased, asked for again or claimed: it is left to the next look. Two of these
 * that take the same slot wait for each other's commit, and in one order, so that they never wait in a ring.
 */
const BEGIN = `
  WITH locked AS MATERIALIZED (
    SELECT a.*
      FROM unnest($1::text[], $2::text[], $3::int[], $4::smallint[], $5::text[], $6::timestamptz[], $7::text[],
                  $8::text[], $9::int[])
           AS a(id, webhook_id, number, slot, cause, started_at, headers, state, requested_attempt)
      JOIN webhook_deliveries d
        ON d.id = a.id AND d.state = a.state AND d.requested_attempt = a.requested_attempt
     WHERE EXISTS (SELECT 1 FROM invoice_events e WHERE e.id = d.event_id AND e.body IS NOT NULL)
       FOR NO KEY UPDATE OF d SKIP LOCKED),
  attempt AS (
    INSERT INTO webhook_attempts (delivery_id, number, webhook_id, slot, cause, started_at, sent_headers)
    SELECT id, number, webhook_id, slot, cause, started_at, headers::jsonb FROM locked ORDER BY webhook_id, slot
    ON CONFLICT DO NOTHING
    RETURNING delivery_id, number, started_at),
  delivery AS (
    UPDATE webhook_deliveries d
       SET state = 'sending', requested_attempt = a.number, attempt_count = d.attempt_count + 1,
           last_attempt_at = a.started_at, http_status = NULL, error = NULL, duration_ms = NULL
      FROM attempt a WHERE d.id = a.delivery_id)
  SELECT delivery_id AS "deliveryId" FROM attempt`;
