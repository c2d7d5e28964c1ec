import {
  decideClaim,
  endsSecretAlert,
  freeSlot,
  LINE_LENGTH,
  waitForSecret,
  waitForTurn,
  type ClaimDecision,
} from "../../domain/webhook/claim";
import { REQUEST_SECONDS } from "../../domain/webhook/dialect";
import { dialectHeaders } from "../../domain/webhook/dialect-body";
import { signatureHeaders } from "../../domain/webhook/signature";
import type { Destination } from "../../domain/webhook/waiting-lines";
import { endRequestedRetry, endUnsent, type LoadedDelivery } from "./attempt-queries";
import { beginAttempt } from "./begin-attempts";
import type { CommandContext } from "../context";
import type { JobOutcome, Work } from "../jobs";
import { bodyOf } from "./delivery-body";
import { loadDelivery, loadUnproven } from "./load-delivery";
import { requestRetry } from "./queries";
import type { WebhookRequest } from "../ports";
import { previousSecretPlace, webhookSecretPlace } from "../server/sealed-places";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import type { SendPlace } from "./send-place";
import { notifyChanges } from "../server/notify-changes";

/** An attempt whose row is committed: its request may be sent, and no other with this number ever will be. */
export interface ClaimedAttempt {
  deliveryId: string;
  number: number;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  /** Its webhook asks for what fails to be sent again. */
  automaticRedelivery: boolean;
  request: WebhookRequest;
}

export type Claim =
  | { kind: "claimed"; attempt: ClaimedAttempt }
  /** Nothing is sent. `freed` is the webhook whose next deliveries may be sent now. */
  | { kind: "over"; outcome: JobOutcome; freed: string | null };

/** Another process was faster, every time: the job is delayed, longer for those further back. */
const BUSY_MS = 20;
const TRIES = 4;

/**
 * Takes the number that is due. It is decided by a read without locks, and committed before sending by one
 * statement that checks it again: the attempt's keys allow each number and each of an endpoint's slots once, so
 * that the limit applies across all workers (docs/adr/0034). A caller that is too late reads again. For an
 * invoice's order the read suffices: an earlier delivery is reopened only by hand. Before it begins it takes a slot
 * of this worker, which its caller returns after the attempt.
 */
export async function claimAttempt(
  ctx: CommandContext,
  { deliveryId, attemptNumber: asked, unproven = false }: Work<"webhook-delivery">,
  place: SendPlace,
): Promise<Claim> {
  const load = unproven ? loadUnproven : loadDelivery;
  for (let tries = 1; ; tries += 1) {
    const seen = await load(ctx, deliveryId);
    if (seen === undefined) return over({ kind: "done", reason: "no such delivery" });
    const decision = decideClaim(seen, asked);
    if (decision.kind === "wait-for-retry") return over({ kind: "wait", delayMs: decision.delayMs });
    if (decision.kind === "retry") {
      await retry(ctx, seen);
      continue;
    }
    if (decision.kind === "done" || decision.kind === "failed" || decision.kind === "wait")
      return over(settled(ctx, decision));
    if (decision.kind === "send" && !place.take(destinationOf(ctx, seen)))
      return over(settled(ctx, place.wait()));
    const claim = await take(ctx, seen, decision);
    if (claim !== null) return claim;
    if (tries < TRIES) continue;
    const busy = { kind: "wait", delayMs: BUSY_MS * (1 + seen.ahead) } as const;
    return over(settled(ctx, seen.ahead < LINE_LENGTH ? busy : waitForTurn(seen)));
  }
}

/** Null when it has changed since it was read. */
function take(
  ctx: CommandContext,
  seen: LoadedDelivery,
  decision: ClaimDecision & { kind: "send" | "skip" | "end-retry" },
): Promise<Claim | null> {
  switch (decision.kind) {
    case "send":
      return begin(ctx, seen, decision);
    case "skip":
      return skip(ctx, seen, decision.error);
    case "end-retry":
      return endRetry(ctx, seen);
  }
}

/** Whoever requests it, it is requested once. */
async function retry(ctx: CommandContext, seen: LoadedDelivery): Promise<void> {
  const { count } = await requestRetry(ctx.db.manager, seen.now, seen.deliveryId);
  if (count > 0) await notifyOf(ctx, seen);
}

function destinationOf(ctx: CommandContext, { storeId, url, proven }: LoadedDelivery): Destination {
  return { storeId, host: ctx.limitedHost(url), proven };
}

/**
 * Null when the delivery has changed since it was read, another process has taken the number or the slot, or it
 * took too long.
 */
async function begin(
  ctx: CommandContext,
  seen: LoadedDelivery,
  { number, cause }: ClaimDecision & { kind: "send" },
): Promise<Claim | null> {
  const { deliveryId, webhookId, storeId, invoiceId, proven, now, state, requestedAttempt } = seen;
  const { automaticRedelivery } = seen;
  const body = bodyOf(seen);
  if (body === null) return failUnsent(ctx, seen, number, "pruned");
  const secrets = openSecrets(ctx, seen);
  if (secrets === null) return leaveUnreadable(ctx, seen, number);
  if (endsSecretAlert(seen)) await resolveAlert(ctx.db.manager, ctx, "secret-unreadable", webhookId);
  const request = signed(ctx, { ...seen, ...secrets, body }, number);
  const { headers } = request;
  const slot = freeSlot(seen);
  const claim = ctx.randomBytes(16).toString("hex");
  const asked = {
    proven,
    deliveryId,
    webhookId,
    number,
    slot,
    cause,
    now,
    headers,
    state,
    requestedAttempt,
    claim,
  };
  if (!(await beginAttempt(ctx.db, asked))) return null;
  return {
    kind: "claimed",
    attempt: { deliveryId, number, webhookId, storeId, invoiceId, automaticRedelivery, request },
  };
}

async function skip(
  ctx: CommandContext,
  seen: LoadedDelivery,
  error: "overtaken" | null,
): Promise<Claim | null> {
  const { deliveryId, state, requestedAttempt: number } = seen;
  const { count } = await endUnsent(ctx.db.manager, deliveryId, state, number, "skipped", error, number);
  const reason = `skipped: ${error ?? "the webhook is disabled or deleted"}`;
  return count === 0 ? null : ended(ctx, seen, { kind: "done", reason });
}

async function endRetry(ctx: CommandContext, seen: LoadedDelivery): Promise<Claim | null> {
  const { count } = await endRequestedRetry(ctx.db.manager, seen.deliveryId, seen.requestedAttempt);
  const reason = "not retried: the webhook is disabled or asks for none";
  return count === 0 ? null : ended(ctx, seen, { kind: "done", reason });
}

/** Takes no number: a worker that can read the secret sends it, within an hour of the alert. */
async function leaveUnreadable(
  ctx: CommandContext,
  seen: LoadedDelivery,
  number: number,
): Promise<Claim | null> {
  const left = waitForSecret(seen);
  if (left === null) return failUnsent(ctx, seen, number, "secret-unreadable");
  const { webhookId, unreadableSince } = seen;
  if (unreadableSince === null)
    await raiseAlert(ctx.db.manager, ctx, {
      kind: "secret-unreadable",
      severity: "warning",
      subject: webhookId,
      message: `A process of webhook-delivery cannot read the secret of webhook ${webhookId} with its APP_SECRET. Its deliveries wait up to an hour for a process that can. Give all apps the same APP_SECRET and APP_SECRET_OLD.`,
    });
  return over(settled(ctx, left));
}

/** Ends a delivery without an attempt, which says nothing about the endpoint. */
async function failUnsent(
  ctx: CommandContext,
  seen: LoadedDelivery,
  number: number,
  error: "pruned" | "secret-unreadable",
): Promise<Claim | null> {
  const { deliveryId, webhookId, state, requestedAttempt } = seen;
  const { manager } = ctx.db;
  const { count } = await endUnsent(manager, deliveryId, state, requestedAttempt, "failed", error, number);
  if (count === 0) return null;
  if (error === "secret-unreadable")
    ctx.log.error({ deliveryId, webhookId }, "webhook: secret cannot be read, check APP_SECRET");
  return ended(ctx, seen, { kind: "failed", code: error });
}

/** Its webhook's next deliveries may be sent now. */
async function ended(ctx: CommandContext, seen: LoadedDelivery, outcome: JobOutcome): Promise<Claim> {
  await notifyOf(ctx, seen);
  return over(outcome, seen.webhookId);
}

async function notifyOf(
  ctx: CommandContext,
  { storeId, invoiceId, webhookId, deliveryId }: LoadedDelivery,
): Promise<void> {
  await notifyChanges(ctx.db.manager, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
}

interface OpenSecrets {
  secret: string;
  previousSecret: string | undefined;
}

/**
 * The present secrets: a rotation applies to what waits, and to redeliveries. Null if one was sealed under another
 * key.
 */
function openSecrets(ctx: CommandContext, seen: LoadedDelivery): OpenSecrets | null {
  const { webhookId, previousSecretEncrypted: previous, previousSecretUntil: until, now } = seen;
  const overlap = previous !== null && until !== null && now < until;
  try {
    return {
      secret: ctx.secrets.decrypt(seen.secretEncrypted, webhookSecretPlace(webhookId)),
      previousSecret: overlap ? ctx.secrets.decrypt(previous, previousSecretPlace(webhookId)) : undefined,
    };
  } catch {
    return null; // the only error possible here, and it recurs until the key is changed
  }
}

/** For the present URL. */
function signed(
  ctx: CommandContext,
  seen: LoadedDelivery & OpenSecrets & { body: Buffer },
  attempt: number,
): WebhookRequest {
  const { eventId, deliveryId, storeId, body, secret, previousSecret, test, url } = seen;
  const { userAgent } = ctx.settings;
  const input = { eventId, deliveryId, storeId, attempt, body, secret, test, userAgent };
  const timestampSeconds = Math.floor(seen.now.getTime() / 1000);
  const headers =
    seen.dialect === "greenfield"
      ? dialectHeaders(input)
      : signatureHeaders({ ...input, timestampSeconds, previousSecret });
  return { url, headers, body, deadlineMs: REQUEST_SECONDS[seen.dialect] * 1_000 };
}

function over(outcome: JobOutcome, freed: string | null = null): Claim {
  return { kind: "over", outcome, freed };
}

/** Delays vary by a quarter in both directions, so that jobs that were delayed together do not come back together. */
function settled(ctx: CommandContext, outcome: JobOutcome): JobOutcome {
  if (outcome.kind !== "wait") return outcome;
  const spread = 0.75 + (ctx.randomBytes(1).readUInt8() / 255) * 0.5;
  return { ...outcome, delayMs: Math.round(outcome.delayMs * spread) };
}
