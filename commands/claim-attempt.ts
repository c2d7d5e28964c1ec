import type { EntityManager } from "typeorm";
import {
  decideClaim,
  LINE_LENGTH,
  waitForTurn,
  type ClaimDecision,
  type DeliveryState,
} from "../domain/webhook/claim";
import { signatureHeaders } from "../domain/webhook/signature";
import { WebhookDelivery } from "../entities/webhook-delivery";
import type { CommandContext } from "./context";
import type { JobOutcome } from "./jobs";
import type { WebhookRequest } from "./ports";
import { queryPrepared } from "./query-prepared";
import { tellChanges } from "./tell-change";

/** An attempt whose row is committed: its request may leave, and no other with this number ever will. */
export interface ClaimedAttempt {
  deliveryId: string;
  number: number;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  request: WebhookRequest;
}

export type Claim =
  | { kind: "claimed"; attempt: ClaimedAttempt }
  /** Nothing is sent. `freed` names the webhook whose next deliveries may go now. */
  | { kind: "over"; outcome: JobOutcome; freed: string | null };

interface ClaimRow {
  deliveryId: string;
  state: DeliveryState;
  requestedAttempt: number;
  error: string | null;
  eventId: string;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  body: Buffer | null;
  test: boolean;
  url: string;
  webhookActive: boolean;
  failureStreak: number;
  secretEncrypted: Buffer;
  previousSecretEncrypted: Buffer | null;
  previousSecretUntil: Date | null;
  inFlight: number;
  earlierOpen: boolean;
  ahead: number;
}

/**
 * Somebody else is claiming for this endpoint right now. Waiting for the lock would hold one of few connections; coming
 * back all at once would keep the process busy, so those far behind take longer.
 */
const BUSY_MS = 20;

/**
 * Takes the number that is due, in a short transaction of its own that is committed before anything leaves. Claims of
 * one endpoint are serialised by its row, so that its limit and its invoices' order hold over all workers. A first look
 * without locks turns away those who would have to wait anyway.
 */
export async function claimAttempt(ctx: CommandContext, deliveryId: string, asked: number): Promise<Claim> {
  const seen = await readClaimRow(ctx.db.manager, deliveryId);
  if (seen === null) return over({ kind: "done", reason: "no such delivery" });
  const first = decideClaim(seen, asked);
  if (first.kind !== "send" && first.kind !== "skip") return over(settled(ctx, first));
  return ctx.db.transaction(async (manager) => {
    if (!(await lock(manager, seen))) {
      const busy = { kind: "wait", delayMs: BUSY_MS * (1 + seen.ahead) } as const;
      return over(settled(ctx, seen.ahead < LINE_LENGTH ? busy : waitForTurn(seen)));
    }
    const row = await readClaimRow(manager, deliveryId);
    if (row === null) return over({ kind: "done", reason: "no such delivery" });
    const decision = decideClaim(row, asked);
    if (decision.kind === "skip") {
      await manager.update(WebhookDelivery, deliveryId, { state: "skipped" });
      const { storeId, invoiceId, webhookId } = row;
      await tellChanges(manager, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
      return over({ kind: "done", reason: "skipped: the webhook is disabled or deleted" }, row.webhookId);
    }
    if (decision.kind !== "send") return over(settled(ctx, decision));
    if (row.body === null) {
      const { number } = decision;
      await manager.update(WebhookDelivery, deliveryId, {
        state: "failed",
        error: "pruned",
        requestedAttempt: number,
      });
      return over({ kind: "failed", code: "pruned" }, row.webhookId);
    }
    const attempt = await beginAttempt(ctx, manager, { ...row, body: row.body }, decision);
    return { kind: "claimed", attempt };
  });
}

async function beginAttempt(
  ctx: CommandContext,
  manager: EntityManager,
  row: ClaimRow & { body: Buffer },
  { number, cause }: ClaimDecision & { kind: "send" },
): Promise<ClaimedAttempt> {
  const { deliveryId, webhookId, storeId, invoiceId } = row;
  const now = await ctx.now(manager);
  const request = signed(ctx, row, number, now);
  await queryPrepared(
    manager,
    `WITH attempt AS (
       INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause, started_at, sent_headers)
       VALUES ($1, $2, $3, $4, $5, $6))
     UPDATE webhook_deliveries
        SET state = 'sending', requested_attempt = $2, attempt_count = attempt_count + 1, last_attempt_at = $5,
            http_status = NULL, error = NULL, duration_ms = NULL
      WHERE id = $1`,
    [deliveryId, number, webhookId, cause, now, JSON.stringify(request.headers)],
  );
  return { deliveryId, number, webhookId, storeId, invoiceId, request };
}

/** With the URL and the secrets of this moment: a rotation holds for what waits, and for redeliveries. */
function signed(
  ctx: CommandContext,
  row: ClaimRow & { body: Buffer },
  attempt: number,
  now: Date,
): WebhookRequest {
  const { previousSecretEncrypted: previous, previousSecretUntil: until } = row;
  const overlap = previous !== null && until !== null && now < until;
  const headers = signatureHeaders({
    eventId: row.eventId,
    deliveryId: row.deliveryId,
    storeId: row.storeId,
    attempt,
    timestampSeconds: Math.floor(now.getTime() / 1000),
    body: row.body,
    secret: ctx.secrets.decrypt(row.secretEncrypted),
    previousSecret: overlap ? ctx.secrets.decrypt(previous) : undefined,
    test: row.test,
    userAgent: ctx.settings.userAgent,
  });
  return { url: row.url, headers, body: row.body };
}

/** Everyone locks in this order: the webhook, then the delivery, then its attempts. False when the webhook is taken. */
async function lock(manager: EntityManager, row: ClaimRow): Promise<boolean> {
  const locked = await queryPrepared(
    manager,
    `WITH webhook AS MATERIALIZED (SELECT id FROM webhooks WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)
     SELECT 1 FROM webhook_deliveries
      WHERE id = $2 AND webhook_id = (SELECT id FROM webhook) FOR NO KEY UPDATE`,
    [row.webhookId, row.deliveryId],
  );
  return locked.length > 0;
}

async function readClaimRow(manager: EntityManager, deliveryId: string): Promise<ClaimRow | null> {
  const [row] = await queryPrepared<ClaimRow>(
    manager,
    `SELECT d.id AS "deliveryId", d.state, d.requested_attempt AS "requestedAttempt", d.error,
            d.event_id AS "eventId", d.webhook_id AS "webhookId", d.store_id AS "storeId",
            d.invoice_id AS "invoiceId", e.body, e.test, w.url,
            w.enabled AND w.deleted_at IS NULL AS "webhookActive", w.failure_streak AS "failureStreak",
            w.secret_encrypted AS "secretEncrypted",
            w.previous_secret_encrypted AS "previousSecretEncrypted",
            w.previous_secret_until AS "previousSecretUntil",
            (SELECT count(*)::int FROM webhook_attempts a
              WHERE a.webhook_id = d.webhook_id AND a.state = 'sending') AS "inFlight",
            EXISTS (SELECT 1 FROM webhook_deliveries o
              WHERE o.invoice_id = d.invoice_id AND o.webhook_id = d.webhook_id AND o.event_seq < d.event_seq
                AND o.state IN ('pending', 'sending')) AS "earlierOpen",
            (SELECT count(*)::int FROM (SELECT 1 FROM webhook_deliveries b
              WHERE b.webhook_id = d.webhook_id AND b.event_seq < d.event_seq AND b.state = 'pending'
              LIMIT ${LINE_LENGTH}) AS counted) AS ahead
       FROM webhook_deliveries d
       JOIN webhooks w ON w.id = d.webhook_id
       JOIN invoice_events e ON e.id = d.event_id
      WHERE d.id = $1`,
    [deliveryId],
  );
  return row ?? null;
}

function over(outcome: JobOutcome, freed: string | null = null): Claim {
  return { kind: "over", outcome, freed };
}

/** Waits are spread by a quarter to either side, so that those who wait together do not come back together. */
function settled(
  ctx: CommandContext,
  decision: Exclude<ClaimDecision, { kind: "send" | "skip" }>,
): JobOutcome {
  if (decision.kind !== "wait") return decision;
  const spread = 0.75 + (ctx.randomBytes(1).readUInt8() / 255) * 0.5;
  return { kind: "wait", delayMs: Math.round(decision.delayMs * spread) };
}
