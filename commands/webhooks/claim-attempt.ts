import {
  decideClaim,
  freeSlot,
  LINE_LENGTH,
  waitForTurn,
  type ClaimDecision,
} from "../../domain/webhook/claim";
import { signatureHeaders } from "../../domain/webhook/signature";
import type { Destination } from "../../domain/webhook/waiting-lines";
import { endUnsent, type LoadedDelivery } from "./attempt-queries";
import { beginAttempt } from "./begin-attempts";
import type { CommandContext } from "../context";
import type { JobOutcome } from "../jobs";
import { loadDelivery } from "./load-delivery";
import type { WebhookRequest } from "../ports";
import { previousSecretPlace, webhookSecretPlace } from "../server/sealed-places";
import type { SendPlace } from "./send-place";
import { notifyChanges } from "../server/notify-changes";

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

/** Another process was faster, every time: the job comes back, those far behind later. */
const BUSY_MS = 20;
const TRIES = 4;

/**
 * Takes the number that is due. It is decided by a read without locks, and committed before sending by one statement
 * that checks it again: the attempt's keys give each number and each of an endpoint's slots out once, so that the
 * limit holds over all workers (docs/adr/0034). A late caller reads again. For an invoice's order the read suffices:
 * an earlier delivery reopens only by hand. Before it begins it takes a slot of this worker, which its caller returns
 * after the attempt.
 */
export async function claimAttempt(
  ctx: CommandContext,
  deliveryId: string,
  asked: number,
  place: SendPlace,
): Promise<Claim> {
  for (let tries = 1; ; tries += 1) {
    const seen = await loadDelivery(ctx, deliveryId);
    if (seen === null) return over({ kind: "done", reason: "no such delivery" });
    const decision = decideClaim(seen, asked);
    if (decision.kind !== "send" && decision.kind !== "skip") return over(settled(ctx, decision));
    if (decision.kind === "send" && !place.take(destinationOf(ctx, seen)))
      return over(settled(ctx, place.wait()));
    const claim = decision.kind === "skip" ? await skip(ctx, seen) : await begin(ctx, seen, decision);
    if (claim !== null) return claim;
    if (tries < TRIES) continue;
    const busy = { kind: "wait", delayMs: BUSY_MS * (1 + seen.ahead) } as const;
    return over(settled(ctx, seen.ahead < LINE_LENGTH ? busy : waitForTurn(seen)));
  }
}

function destinationOf(ctx: CommandContext, { storeId, url, proven }: LoadedDelivery): Destination {
  return { storeId, host: ctx.limitedHost(url), proven };
}

/**
 * Null when the delivery has changed since it was read, another process has taken the number or the slot, or it took
 * too long.
 */
async function begin(
  ctx: CommandContext,
  seen: LoadedDelivery,
  { number, cause }: ClaimDecision & { kind: "send" },
): Promise<Claim | null> {
  const { deliveryId, webhookId, storeId, invoiceId, body, now, state, requestedAttempt } = seen;
  if (body === null) return failUnsent(ctx, seen, number, "pruned");
  const secrets = openSecrets(ctx, seen);
  if (secrets === null) return failUnsent(ctx, seen, number, "secret-unreadable");
  const request = signed(ctx, { ...seen, ...secrets, body }, number);
  const { headers } = request;
  const slot = freeSlot(seen);
  const claim = ctx.randomBytes(16).toString("hex");
  const asked = { deliveryId, webhookId, number, slot, cause, now, headers, state, requestedAttempt, claim };
  if (!(await beginAttempt(ctx.db, asked))) return null;
  return { kind: "claimed", attempt: { deliveryId, number, webhookId, storeId, invoiceId, request } };
}

async function skip(ctx: CommandContext, seen: LoadedDelivery): Promise<Claim | null> {
  const { deliveryId, webhookId, storeId, invoiceId, state, requestedAttempt: number } = seen;
  const { count } = await endUnsent(ctx.db.manager, deliveryId, state, number, "skipped", null, number);
  if (count === 0) return null;
  await notifyChanges(ctx.db.manager, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
  return over({ kind: "done", reason: "skipped: the webhook is disabled or deleted" }, webhookId);
}

/** No attempt was made: it says nothing about the endpoint. */
async function failUnsent(
  ctx: CommandContext,
  seen: LoadedDelivery,
  number: number,
  error: "pruned" | "secret-unreadable",
): Promise<Claim | null> {
  const { deliveryId, webhookId, storeId, invoiceId, state, requestedAttempt } = seen;
  const { manager } = ctx.db;
  const { count } = await endUnsent(manager, deliveryId, state, requestedAttempt, "failed", error, number);
  if (count === 0) return null;
  if (error === "secret-unreadable")
    ctx.log.error({ deliveryId, webhookId }, "webhook: secret cannot be read, check APP_SECRET");
  await notifyChanges(ctx.db.manager, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
  return over({ kind: "failed", code: error }, webhookId);
}

interface OpenSecrets {
  secret: string;
  previousSecret: string | undefined;
}

/** Those of this moment: a rotation holds for what waits, and for redeliveries. Null where one was sealed under another key. */
function openSecrets(ctx: CommandContext, seen: LoadedDelivery): OpenSecrets | null {
  const { webhookId, previousSecretEncrypted: previous, previousSecretUntil: until, now } = seen;
  const overlap = previous !== null && until !== null && now < until;
  try {
    return {
      secret: ctx.secrets.decrypt(seen.secretEncrypted, webhookSecretPlace(webhookId)),
      previousSecret: overlap ? ctx.secrets.decrypt(previous, previousSecretPlace(webhookId)) : undefined,
    };
  } catch {
    return null; // it is the one thing that fails here, and fails again until the key is another
  }
}

/** To the URL of this moment. */
function signed(
  ctx: CommandContext,
  seen: LoadedDelivery & OpenSecrets & { body: Buffer },
  attempt: number,
): WebhookRequest {
  const headers = signatureHeaders({
    eventId: seen.eventId,
    deliveryId: seen.deliveryId,
    storeId: seen.storeId,
    attempt,
    timestampSeconds: Math.floor(seen.now.getTime() / 1000),
    body: seen.body,
    secret: seen.secret,
    previousSecret: seen.previousSecret,
    test: seen.test,
    userAgent: ctx.settings.userAgent,
  });
  return { url: seen.url, headers, body: seen.body };
}

function over(outcome: JobOutcome, freed: string | null = null): Claim {
  return { kind: "over", outcome, freed };
}

/** Waits vary by a quarter to either side, so that jobs that wait together do not come back together. */
function settled(ctx: CommandContext, outcome: JobOutcome): JobOutcome {
  if (outcome.kind !== "wait") return outcome;
  const spread = 0.75 + (ctx.randomBytes(1).readUInt8() / 255) * 0.5;
  return { ...outcome, delayMs: Math.round(outcome.delayMs * spread) };
}
