import { createHmac } from "node:crypto";
import type { components } from "./generated";

export type EventType = components["schemas"]["WebhookEvent"]["type"];
export const TYPES = [
  "New",
  "Processing",
  "Settled",
  "Expired",
  "Invalid",
] as const satisfies readonly EventType[];

/** A webhook answers within it (docs/webhooks.md). */
const DEADLINE_MS = 10_000;

export interface PostedEvent {
  eventId: string;
  storeId: string;
  attempt: number;
  body: string;
  test?: boolean;
}

export interface PostAnswer {
  ok: boolean;
  /** The status, or why there is none. */
  text: string;
  tookMs: number;
}

/** What a webhook sends, byte for byte: metadata is the JSON text that the merchant sent. */
export function bodyOf(event: {
  type: string;
  invoiceId: string;
  metadata: string;
  additionalStatus: string;
}): string {
  const { type, invoiceId, metadata, additionalStatus } = event;
  return (
    `{"type":${JSON.stringify(type)},"invoiceId":${JSON.stringify(invoiceId)},` +
    `"metadata":${metadata},"additionalStatus":${JSON.stringify(additionalStatus)}}`
  );
}

function headersOf(
  { eventId, storeId, attempt, body, test }: PostedEvent,
  secret: string,
): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const signed = `${eventId}.${timestampSeconds}.${body}`;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return {
    "content-type": "application/json",
    "user-agent": "Quittance listen",
    "x-service-sig": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    "x-service-event-id": eventId,
    "x-service-delivery-id": eventId.replace(/^evt_/, "whd_"),
    "x-service-store-id": storeId,
    "x-service-attempt": String(attempt),
    "webhook-id": eventId,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
    ...(test === true ? { "x-service-test": "true" } : {}),
  };
}

/** One attempt, as the service makes it: no redirect is followed, and the status decides. Never rejects. */
export async function postEvent(url: string, event: PostedEvent, secret: string): Promise<PostAnswer> {
  const beganAt = performance.now();
  const took = (ok: boolean, text: string): PostAnswer => ({
    ok,
    text,
    tookMs: Math.round(performance.now() - beganAt),
  });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: headersOf(event, secret),
      body: event.body,
      redirect: "manual",
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await response.body?.cancel();
    return took(response.ok, String(response.status));
  } catch (error) {
    return took(false, reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${DEADLINE_MS / 1_000} s`;
  const cause = error.cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : null;
  return code === "ECONNREFUSED" ? "connection refused: is your receiver running?" : (code ?? error.message);
}
