import { createHmac } from "node:crypto";
import { invalidField } from "../errors";
import type { WebhookDialect } from "./dialect";

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

const HEAD = "whsec_";
export const WEBHOOK_SECRET_BYTES = 32;

/** A webhook's signing secret as Standard Webhooks writes it: `whsec_` and the base64 of 32 random bytes. */
export function webhookSecret(random: Uint8Array): string {
  if (random.length !== WEBHOOK_SECRET_BYTES)
    throw new RangeError(`a webhook secret is made of ${WEBHOOK_SECRET_BYTES} bytes`);
  return HEAD + Buffer.from(random).toString("base64");
}

/**
 * Hex, as plugins make theirs. The key is the text, which must not look like one to decode: the version before would
 * send its own body with it.
 */
function dialectSecret(random: Uint8Array): string {
  return Buffer.from(random).toString("hex");
}

export function generatedSecret(dialect: WebhookDialect, random: Uint8Array): string {
  return dialect === "native" ? webhookSecret(random) : dialectSecret(random);
}

/** The bytes that Standard Webhooks keys its HMAC with: what follows `whsec_`, decoded. */
export function webhookSecretBytes(secret: string): Buffer {
  if (!secret.startsWith(HEAD)) throw new RangeError(`a webhook secret begins with ${HEAD}`);
  return Buffer.from(secret.slice(HEAD.length), "base64");
}

const GIVEN_MIN_CHARACTERS = 16;
const GIVEN_MAX_CHARACTERS = 256;

/** @throws DomainError `validation-failed` at `/secret`. One that a client gives is used as the text that it is. */
export function checkGivenSecret(secret: string): void {
  if (secret.length < GIVEN_MIN_CHARACTERS || secret.length > GIVEN_MAX_CHARACTERS)
    throw invalidField(
      "/secret",
      `Must have ${GIVEN_MIN_CHARACTERS} to ${GIVEN_MAX_CHARACTERS} characters, or be left out: then one is generated.`,
    );
}
