import { createHmac } from "node:crypto";
import { webhookSecretBytes } from "./secret";

/** The contents of an attempt's headers other than its signatures. */
export interface HeaderInput {
  eventId: string;
  deliveryId: string;
  storeId: string;
  /** Starts at 1; redeliveries continue the count. */
  attempt: number;
  /** Marks a test event made by hand. */
  test?: boolean;
  userAgent: string;
}

/** An attempt to be signed. `secret` and `previousSecret` are `whsec_…` texts as they were shown. */
export interface SignatureInput extends HeaderInput {
  /** Unix time of this attempt. */
  timestampSeconds: number;
  body: Buffer;
  secret: string;
  /** The secret before a rotation, while its overlap lasts. */
  previousSecret?: string | undefined;
}

/** `sha256=` and the hex HMAC-SHA256 of the body bytes, keyed with the secret's text (interface specification, section 6). */
export function serviceSignature(body: Buffer, secret: string): string {
  return "sha256=" + createHmac("sha256", secret).update(body).digest("hex");
}

/** `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the secret's decoded bytes (Standard Webhooks 1.0). */
export function standardSignature(
  id: string,
  timestampSeconds: number,
  body: Buffer,
  secret: string,
): string {
  const hmac = createHmac("sha256", webhookSecretBytes(secret));
  return "v1," + hmac.update(`${id}.${timestampSeconds}.`).update(body).digest("base64");
}

/** The headers that are known before an attempt is signed, except those of HTTP itself. */
export function unsignedHeaders(input: HeaderInput): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "User-Agent": input.userAgent,
    "X-Service-Event-Id": input.eventId,
    "X-Service-Delivery-Id": input.deliveryId,
    "X-Service-Store-Id": input.storeId,
    "X-Service-Attempt": String(input.attempt),
    "webhook-id": input.eventId,
    ...(input.test === true ? { "X-Service-Test": "true" } : {}),
  };
}

/**
 * All headers of one attempt except those of HTTP itself. During a rotation `webhook-signature` has both secrets'
 * signatures; `X-Service-Sig` has room for one, the new one, because receivers compare the whole value.
 */
export function signatureHeaders(input: SignatureInput): Record<string, string> {
  const { eventId, timestampSeconds, body, secret, previousSecret } = input;
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  return {
    ...unsignedHeaders(input),
    "X-Service-Sig": serviceSignature(body, secret),
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": secrets
      .map((key) => standardSignature(eventId, timestampSeconds, body, key))
      .join(" "),
  };
}
