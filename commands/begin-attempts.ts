import type { DataSource } from "typeorm";
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
  /** When it was looked at: what is older is looked at again. */
  now: Date;
  headers: Readonly<Record<string, string>>;
  /** The delivery as it was seen: it begins only if it is so still. */
  state: DeliveryState;
  requestedAttempt: number;
}

/** Of one statement. A connection that is lost after the commit leaves so many `sending` that nobody sends. */
const TOGETHER = 50;
const STATEMENTS_AT_ONCE = 2;
/** From the statement to the request. With the 10 s of a request it stays below what counts as stuck. */
const SEND_WITHIN_MS = 4_000;

/**
 * Commits an attempt's row and calls its delivery `sending`, in one statement. False when somebody was faster: the
 * number or the endpoint's slot is taken, or the delivery is not any more what it was, or when that is too long ago to
 * be sure or to send. Those that begin meanwhile are committed together.
 */
export async function beginAttempt(db: DataSource, one: Beginning): Promise<boolean> {
  const { begun } = await beginnerOf(db)(one);
  return (await begun).has(one);
}

/**
 * What hangs makes room for others soon, but whoever asked waits until it ends, however long: only then is it known
 * whether the attempt is theirs. It may be too late by then to send it, so it is given back.
 */
const beginnerOf = perDatabase((db) =>
  gather<Beginning, { begun: Promise<Set<Beginning>> }>(
    async (asked) => {
      const committed = commit(db, asked);
      const soon = inTime(committed, SEND_WITHIN_MS);
      const begun = soon.catch(async () => giveBack(db, await committed));
      await soon.catch(() => undefined);
      return asked.map(() => ({ begun }));
    },
    { runsAtOnce: STATEMENTS_AT_ONCE, atMost: TOGETHER },
  ),
);

async function commit(db: DataSource, asked: readonly Beginning[]): Promise<Set<Beginning>> {
  const first = new Map<string, Beginning>();
  for (const one of asked) if (!first.has(one.deliveryId)) first.set(one.deliveryId, one);
  const each = [...first.values()];
  const begun = await queryPrepared<{ deliveryId: string }>(db.manager, BEGIN, [
    each.map(({ deliveryId }) => deliveryId),
    each.map(({ webhookId }) => webhookId),
    each.map(({ number }) => number),
    each.map(({ slot }) => slot),
    each.map(({ cause }) => cause),
    each.map(({ now }) => now),
    each.map(({ headers }) => JSON.stringify(headers)),
    each.map(({ state }) => state),
    each.map(({ requestedAttempt }) => requestedAttempt),
  ]);
  const ids = new Set(begun.map(({ deliveryId }) => deliveryId));
  return new Set(each.filter(({ deliveryId }) => ids.has(deliveryId)));
}

/** Of ours, and never sent: the numbers may go out again. */
async function giveBack(db: DataSource, begun: Set<Beginning>): Promise<Set<Beginning>> {
  const each = [...begun];
  if (each.length > 0)
    await queryPrepared(db.manager, GIVE_BACK, [
      each.map(({ deliveryId }) => deliveryId),
      each.map(({ number }) => number),
    ]);
  return new Set();
}

/**
 * A delivery that is locked is just being erased, asked for again or claimed: it is left to the next look. Two of these
 * that take the same slot wait for each other's commit, and in one order, so that they never wait in a ring.
 */
const BEGIN = `
  WITH locked AS MATERIALIZED (
    SELECT a.*
      FROM unnest($1::text[], $2::text[], $3::int[], $4::smallint[], $5::text[], $6::timestamptz[], $7::text[],
                  $8::text[], $9::int[])
           AS a(id, webhook_id, number, slot, cause, looked_at, headers, state, requested_attempt)
      JOIN webhook_deliveries d
        ON d.id = a.id AND d.state = a.state AND d.requested_attempt = a.requested_attempt
     WHERE clock_timestamp() < a.looked_at + interval '5 seconds'
       AND EXISTS (SELECT 1 FROM invoice_events e WHERE e.id = d.event_id AND e.body IS NOT NULL)
       FOR NO KEY UPDATE OF d SKIP LOCKED),
  attempt AS (
    INSERT INTO webhook_attempts (delivery_id, number, webhook_id, slot, cause, started_at, sent_headers)
    SELECT id, number, webhook_id, slot, cause, clock_timestamp(), headers::jsonb FROM locked ORDER BY webhook_id, slot
    ON CONFLICT DO NOTHING
    RETURNING delivery_id, number, started_at),
  delivery AS (
    UPDATE webhook_deliveries d
       SET state = 'sending', requested_attempt = a.number, attempt_count = d.attempt_count + 1,
           last_attempt_at = a.started_at, http_status = NULL, error = NULL, duration_ms = NULL
      FROM attempt a WHERE d.id = a.delivery_id)
  SELECT delivery_id AS "deliveryId" FROM attempt`;

/** The sweep may have called them interrupted meanwhile, and a hand may have asked for the next number. */
const GIVE_BACK = `
  WITH locked AS MATERIALIZED (
    SELECT d.id, own.number FROM unnest($1::text[], $2::int[]) AS own(id, number)
      JOIN webhook_deliveries d ON d.id = own.id
     ORDER BY d.id FOR NO KEY UPDATE OF d),
  attempt AS (
    DELETE FROM webhook_attempts a USING locked l WHERE a.delivery_id = l.id AND a.number = l.number
    RETURNING a.delivery_id, a.number)
  UPDATE webhook_deliveries d
     SET state = CASE WHEN d.requested_attempt = a.number THEN 'pending' ELSE d.state END,
         error = CASE WHEN d.requested_attempt = a.number THEN NULL ELSE d.error END,
         attempt_count = d.attempt_count - 1,
         last_attempt_at = (SELECT max(o.started_at) FROM webhook_attempts o
                             WHERE o.delivery_id = d.id AND o.number <> a.number)
    FROM attempt a WHERE d.id = a.delivery_id`;
