import { LINE_LENGTH, type ClaimFacts, type DeliveryState } from "../domain/webhook/claim";
import { gather } from "../domain/gather";
import type { CommandContext } from "./context";
import { EARLIER_IS_OPEN } from "./earlier-open";
import { inTime } from "./in-time";
import { perDatabase } from "./per-database";
import { queryPrepared } from "./query-prepared";

/** All that an attempt is decided and made of, as it was at `now`. */
export interface DeliveryLook extends ClaimFacts {
  now: Date;
  deliveryId: string;
  state: DeliveryState;
  eventId: string;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  body: Buffer | null;
  test: boolean;
  url: string;
  secretEncrypted: Buffer;
  previousSecretEncrypted: Buffer | null;
  previousSecretUntil: Date | null;
}

/** Looks at a delivery without locks; null for one that is not there. What is looked at meanwhile is read together. */
export async function lookAtDelivery(ctx: CommandContext, deliveryId: string): Promise<DeliveryLook | null> {
  return lookerOf(ctx.db)({ ctx, deliveryId });
}

/** One that hangs does not hold up the others. */
const RUNS = { runsAtOnce: 2 };

const lookerOf = perDatabase((db) =>
  gather<{ ctx: CommandContext; deliveryId: string }, DeliveryLook | null>(async (asked) => {
    const [first] = asked;
    if (first === undefined) return [];
    const ids = [...new Set(asked.map(({ deliveryId }) => deliveryId))];
    const read = async (): Promise<Map<string, DeliveryLook>> => {
      const now = await first.ctx.now(db.manager);
      const rows = await queryPrepared<Omit<DeliveryLook, "now">>(db.manager, LOOK, [ids]);
      return new Map(rows.map((row) => [row.deliveryId, { ...row, now }]));
    };
    const looks = await inTime(read());
    return asked.map(({ deliveryId }) => looks.get(deliveryId) ?? null);
  }, RUNS),
);

/**
 * By `ORDER BY`, who waits ahead is found in the webhook's own index: where its statistics are of an hour in which nothing
 * waited, Postgres would else walk all that wait anywhere, for each delivery, in the hour in which a hundred thousand do.
 */
const LOOK = `
  SELECT d.id AS "deliveryId", d.state, d.requested_attempt AS "requestedAttempt", d.error,
         d.event_id AS "eventId", d.webhook_id AS "webhookId", d.store_id AS "storeId",
         d.invoice_id AS "invoiceId", e.body, e.test, w.url,
         w.enabled AND w.deleted_at IS NULL AS "webhookActive", w.failure_streak AS "failureStreak",
         w.secret_encrypted AS "secretEncrypted",
         w.previous_secret_encrypted AS "previousSecretEncrypted",
         w.previous_secret_until AS "previousSecretUntil",
         ARRAY(SELECT coalesce(a.slot, -1) FROM webhook_attempts a
                WHERE a.webhook_id = d.webhook_id AND a.state = 'sending') AS "takenSlots",
         ${EARLIER_IS_OPEN} AS "earlierOpen",
         (SELECT count(*)::int FROM (SELECT 1 FROM webhook_deliveries b
           WHERE b.webhook_id = d.webhook_id AND b.event_seq < d.event_seq AND b.state = 'pending'
           ORDER BY b.event_seq LIMIT ${LINE_LENGTH}) AS counted) AS ahead
    FROM webhook_deliveries d
    JOIN webhooks w ON w.id = d.webhook_id
    JOIN invoice_events e ON e.id = d.event_id
   WHERE d.id = ANY($1)`;
