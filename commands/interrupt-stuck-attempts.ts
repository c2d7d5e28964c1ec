import type { CommandContext } from "./context";
import { wakeWebhooks } from "./next-deliveries";
import { tellChanges } from "./tell-change";

/** A request ends after 10 s, and its answer is recorded at once: who has not done so by then has died or is cut off. */
const STUCK_AFTER_SECONDS = 15;

interface InterruptedRow {
  deliveryId: string;
  attempt: number;
  webhookId: string;
  storeId: string;
  invoiceId: string;
}

/**
 * Ends the attempts whose worker died while sending: `failed`, error `interrupted`. Whether their request reached the
 * endpoint nobody knows, so they are not sent again but by hand. Returns how many there were.
 */
export async function interruptStuckAttempts(ctx: CommandContext): Promise<number> {
  const now = await ctx.now(ctx.db.manager);
  // The delivery is locked before the attempt is touched, like everywhere; who holds it is just recording the answer.
  const rows = await ctx.db.query<InterruptedRow[]>(
    `WITH stuck AS (
       SELECT d.id, a.number FROM webhook_deliveries d
         JOIN webhook_attempts a ON a.delivery_id = d.id
        WHERE a.state = 'sending' AND a.started_at < $1::timestamptz - ${STUCK_AFTER_SECONDS} * interval '1 second'
          FOR NO KEY UPDATE OF d SKIP LOCKED
     ), interrupted AS (
       UPDATE webhook_attempts a SET state = 'failed', error = 'interrupted' FROM stuck
        WHERE a.delivery_id = stuck.id AND a.number = stuck.number AND a.state = 'sending'
       RETURNING a.delivery_id, a.number, a.webhook_id
     ), ended AS (
       UPDATE webhook_deliveries d SET state = 'failed', error = 'interrupted' FROM interrupted i
        WHERE d.id = i.delivery_id AND d.requested_attempt = i.number AND d.state = 'sending'
     )
     SELECT i.delivery_id AS "deliveryId", i.number AS attempt, i.webhook_id AS "webhookId",
            d.store_id AS "storeId", d.invoice_id AS "invoiceId"
       FROM interrupted i JOIN webhook_deliveries d ON d.id = i.delivery_id`,
    [now],
  );
  for (const { deliveryId, attempt, webhookId } of rows)
    ctx.log.warn({ deliveryId, attempt, webhookId }, "webhook interrupted");
  await tellChanges(
    ctx.db.manager,
    rows.map(({ storeId, invoiceId, webhookId, deliveryId }) => ({
      topic: "deliveries",
      storeId,
      invoiceId,
      webhookId,
      deliveryId,
    })),
  );
  await wakeWebhooks(ctx, [...new Set(rows.map((row) => row.webhookId))]);
  return rows.length;
}
