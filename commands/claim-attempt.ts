import { decideClaim, freeSlot, LINE_LENGTH, waitForTurn, type ClaimDecision } from "../domain/webhook/claim";
import { signatureHeaders } from "../domain/webhook/signature";
import { beginAttempt } from "./begin-attempts";
import type { CommandContext } from "./context";
import type { JobOutcome } from "./jobs";
import { lookAtDelivery, type DeliveryLook } from "./look-at-delivery";
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

/** Somebody else was faster, every time: the job comes back, those far behind later. */
const BUSY_MS = 20;
const TRIES = 4;

/**
 * Takes the number that is due. It is decided by a look without locks, and committed before anything leaves by one
 * statement that holds only if it still may: the attempt's keys let each number and each of an endpoint's slots out
 * once, so that the limit holds over all workers (docs/adr/0034). Whoever was late looks again. An invoice's order needs
 * no more than the look: what is before it does not open again but by a hand.
 */
export async function claimAttempt(ctx: CommandContext, deliveryId: string, asked: number): Promise<Claim> {
  for (let tries = 1; ; tries += 1) {
    const seen = await lookAtDelivery(ctx, deliveryId);
    if (seen === null) return over({ kind: "done", reason: "no such delivery" });
    const decision = decideClaim(seen, asked);
    if (decision.kind !== "send" && decision.kind !== "skip") return over(settled(ctx, decision));
    const claim = decision.kind === "skip" ? await skip(ctx, seen) : await begin(ctx, seen, decision);
    if (claim !== null) return claim;
    if (tries < TRIES) continue;
    const busy = { kind: "wait", delayMs: BUSY_MS * (1 + seen.ahead) } as const;
    return over(settled(ctx, seen.ahead < LINE_LENGTH ? busy : waitForTurn(seen)));
  }
}

/** Null when the delivery is not any more what was seen, another has taken the number or the slot, or it took too long. */
async function begin(
  ctx: CommandContext,
  seen: DeliveryLook,
  { number, cause }: ClaimDecision & { kind: "send" },
): Promise<Claim | null> {
  const { deliveryId, webhookId, storeId, invoiceId, body, now, state, requestedAttempt } = seen;
  if (body === null) {
    if (!(await endUnsent(ctx, seen, { state: "failed", error: "pruned", number }))) return null;
    return over({ kind: "failed", code: "pruned" }, webhookId);
  }
  const request = signed(ctx, { ...seen, body }, number);
  const { headers } = request;
  const slot = freeSlot(seen);
  const asked = { deliveryId, webhookId, number, slot, cause, now, headers, state, requestedAttempt };
  if (!(await beginAttempt(ctx.db, asked))) return null;
  return { kind: "claimed", attempt: { deliveryId, number, webhookId, storeId, invoiceId, request } };
}

async function skip(ctx: CommandContext, seen: DeliveryLook): Promise<Claim | null> {
  const { deliveryId, webhookId, storeId, invoiceId, requestedAttempt: number } = seen;
  if (!(await endUnsent(ctx, seen, { state: "skipped", error: null, number }))) return null;
  await tellChanges(ctx.db.manager, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
  return over({ kind: "done", reason: "skipped: the webhook is disabled or deleted" }, webhookId);
}

/** False when the delivery is not any more what was seen. */
async function endUnsent(
  { db }: CommandContext,
  { deliveryId, state, requestedAttempt }: DeliveryLook,
  end: { state: "skipped" | "failed"; error: string | null; number: number },
): Promise<boolean> {
  const ended = await queryPrepared(
    db.manager,
    `UPDATE webhook_deliveries SET state = $4, error = $5, requested_attempt = $6
      WHERE id = $1 AND state = $2 AND requested_attempt = $3 RETURNING 1`,
    [deliveryId, state, requestedAttempt, end.state, end.error, end.number],
  );
  return ended.length > 0;
}

/** With the URL and the secrets of this moment: a rotation holds for what waits, and for redeliveries. */
function signed(ctx: CommandContext, seen: DeliveryLook & { body: Buffer }, attempt: number): WebhookRequest {
  const { previousSecretEncrypted: previous, previousSecretUntil: until, now } = seen;
  const overlap = previous !== null && until !== null && now < until;
  const headers = signatureHeaders({
    eventId: seen.eventId,
    deliveryId: seen.deliveryId,
    storeId: seen.storeId,
    attempt,
    timestampSeconds: Math.floor(now.getTime() / 1000),
    body: seen.body,
    secret: ctx.secrets.decrypt(seen.secretEncrypted),
    previousSecret: overlap ? ctx.secrets.decrypt(previous) : undefined,
    test: seen.test,
    userAgent: ctx.settings.userAgent,
  });
  return { url: seen.url, headers, body: seen.body };
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
