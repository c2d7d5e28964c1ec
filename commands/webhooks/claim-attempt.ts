import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { batch, batchedRead, perDatabase } from "../../database/batch";
import { inTime } from "../../database/with-deadline";
import { jsonRows } from "../../database/insert-rows";
import { isItemFailure } from "../../database/item-failure";
import { onOneConnection, pipelined } from "../../database/pipelined";
import {
  type AttemptCause,
  type ClaimDecision,
  decideClaim,
  endsSecretAlert,
  isSecretLost,
} from "../../domain/webhook/claim";
import { REQUEST_SECONDS } from "../../domain/webhook/dialect";
import { dialectHeaders } from "../../domain/webhook/dialect-body";
import { signatureHeaders } from "../../domain/webhook/signature";
import {
  type AttemptStart,
  beginAttempts,
  endUnsent,
  loadDeliveries,
  type LoadedDelivery,
} from "./attempt-queries";
import type { CommandContext } from "../context";
import type { JobOutcome } from "../jobs";
import { bodyOf } from "../../domain/webhook/body";
import type { WebhookRequest } from "../ports";
import { previousSecretPlace, webhookSecretPlace } from "../server/sealed-places";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import { notifyChanges } from "../server/notify-changes";
import { inTransaction } from "../transaction";

/** An attempt whose row is committed: its request may be sent, and no other with this number ever will be. */
export interface ClaimedAttempt {
  deliveryId: string;
  number: number;
  webhookId: string;
  storeId: string;
  invoiceId: string;
  /** Its webhook asks for what fails to be sent again. */
  automaticRedelivery: boolean;
  /** The host that the limits have counted it for. */
  host: string | null;
  request: WebhookRequest;
}

export type Claim =
  | { kind: "claimed"; attempt: ClaimedAttempt }
  /** Nothing is sent. `freed` is the webhook whose next deliveries may be sent now. */
  | { kind: "over"; outcome: JobOutcome; freed: string | null };

/**
 * Takes the number that is due. It is decided by a read without locks, and committed before sending by a statement that
 * begins only what is still queued under this number.
 */
export async function claimAttempt(ctx: CommandContext, deliveryId: string): Promise<Claim> {
  const seen = await loadDelivery(ctx, deliveryId);
  if (seen === undefined) return over({ kind: "done", reason: "no such delivery" });
  const decision = decideClaim(seen);
  switch (decision.kind) {
    case "send":
      return begin(ctx, seen, decision.cause);
    case "end":
      return end(ctx, seen, decision);
    case "done":
    case "failed":
      return over(decision);
  }
}

/** Simultaneous reads share a statement. */
const loadDelivery = batchedRead((ctx: CommandContext, ids) => inTime(readDeliveries(ctx, ids)));

async function readDeliveries(
  ctx: CommandContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LoadedDelivery>> {
  const [now, { rows }] = await onOneConnection(ctx.db, (manager) =>
    pipelined(ctx.now(manager), loadDeliveries(manager, ids)),
  );
  return new Map(rows.map((row) => [row.deliveryId, { ...row, now }]));
}

async function begin(ctx: CommandContext, seen: LoadedDelivery, cause: AttemptCause): Promise<Claim> {
  const { deliveryId, webhookId, storeId, invoiceId, requestedAttempt: number } = seen;
  const body = bodyOf(seen);
  if (body === null) return failUnsent(ctx, seen, "pruned");
  const secrets = openSecrets(ctx, seen);
  if (secrets === null) return leaveUnreadable(ctx, seen);
  if (endsSecretAlert(seen))
    await inTransaction(ctx, (tx) => resolveAlert(tx, "secret-unreadable", webhookId));
  const request = signed(ctx, { ...seen, ...secrets, body }, number);
  const claim = ctx.randomBytes(16).toString("hex");
  const { headers } = request;
  if (!(await beginAttempt(ctx.db, { deliveryId, number, cause, headers, claim }))) return over(CHANGED);
  const { automaticRedelivery, host } = seen;
  return {
    kind: "claimed",
    attempt: { deliveryId, number, webhookId, storeId, invoiceId, automaticRedelivery, host, request },
  };
}

/** Attempts begun by one statement. */
const TOGETHER = 50;
/** For a statement. Together with the time of a request this is less than what counts as stuck. */
const SEND_WITHIN_MS = 4_000;
/** After an error of the database: a connection that broke, a fail-over, a pool or a row that is taken. */
const TRIES = 60;
const TRY_EVERY_MS = 1_000;

/** Simultaneous beginnings are committed together. Two statements at a time: one that hangs does not stop the others. */
const beginnerOf = perDatabase((db) =>
  batch<AttemptStart, boolean>(
    async (asked) => {
      const { rows } = await inTime(beginAttempts(db.manager, jsonRows(asked)), SEND_WITHIN_MS);
      const begun = new Set(rows.map(({ claim }) => claim));
      return asked.map(({ claim }) => begun.has(claim));
    },
    { runsAtOnce: 2, atMost: TOGETHER },
  ),
);

/**
 * False when the delivery has changed since it was read, or another process was faster. After an error it may have begun
 * nevertheless, so it is asked again.
 */
async function beginAttempt(db: DataSource, start: AttemptStart): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await beginnerOf(db)(start);
    } catch (error) {
      if (tries === TRIES || isItemFailure(error)) throw error;
      await sleep(TRY_EVERY_MS);
    }
  }
}

const CHANGED: JobOutcome = { kind: "done", reason: "changed since it was read" };

/** It stays queued: the sweep adds its job again, until within an hour of the alert a worker can read the secret. */
async function leaveUnreadable(ctx: CommandContext, seen: LoadedDelivery): Promise<Claim> {
  const { webhookId, unreadableSince } = seen;
  if (isSecretLost(seen)) return failUnsent(ctx, seen, "secret-unreadable");
  if (unreadableSince === null)
    await inTransaction(ctx, (tx) =>
      raiseAlert(tx, {
        kind: "secret-unreadable",
        severity: "warning",
        subject: webhookId,
        message: `A process of webhook-delivery cannot read the secret of webhook ${webhookId} with its APP_SECRET. Its deliveries wait up to an hour for a process that can. Give all apps the same APP_SECRET and APP_SECRET_OLD.`,
      }),
    );
  return over({ kind: "done", reason: "waits for a process that can read its secret" });
}

/** Ends a delivery without an attempt, which says nothing about the endpoint. */
async function failUnsent(
  ctx: CommandContext,
  seen: LoadedDelivery,
  error: "pruned" | "secret-unreadable",
): Promise<Claim> {
  const { deliveryId, webhookId } = seen;
  if (error === "secret-unreadable")
    ctx.log.error({ deliveryId, webhookId }, "webhook: secret cannot be read, check APP_SECRET");
  return end(ctx, seen, { state: "failed", error });
}

/** Its webhook's next deliveries may be sent now. */
async function end(
  ctx: CommandContext,
  seen: LoadedDelivery,
  { state, error, reason }: Omit<ClaimDecision & { kind: "end" }, "kind" | "reason"> & { reason?: string },
): Promise<Claim> {
  const { deliveryId, requestedAttempt, storeId, invoiceId, webhookId } = seen;
  const { manager } = ctx.db;
  const { count } = await endUnsent(manager, deliveryId, requestedAttempt, state, error);
  if (count === 0) return over(CHANGED);
  notifyChanges(ctx, [{ topic: "deliveries", storeId, invoiceId, webhookId, deliveryId }]);
  return over(
    reason === undefined ? { kind: "failed", code: error ?? state } : { kind: "done", reason },
    webhookId,
  );
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
