import { createHmac, timingSafeEqual } from "node:crypto";
import { WebhookSignatureError } from "./errors";
import type { components } from "./generated";

export type WebhookEvent = components["schemas"]["WebhookEvent"];

interface Signed {
  /** The body's bytes as they came. One that was parsed and written again has another signature. */
  rawBody: string | Uint8Array;
  /** `whsec_…` as it was shown; several while it is being changed. */
  secret: string | readonly string[];
}

export interface VerifyWebhookInput extends Signed {
  /** The value of `X-Service-Sig`. */
  signatureHeader: string | readonly string[] | null | undefined;
}

export interface VerifyStandardWebhookInput extends Signed {
  /** All headers: Node's `request.headers`, or a `Headers`. */
  headers:
    Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };
  /** How far the sender's clock may differ; 300 when left out. */
  toleranceSeconds?: number;
  /** For tests: the time that counts as now. */
  now?: Date;
}

const TOLERANCE_SECONDS = 300;

/**
 * The event of a webhook, once `X-Service-Sig` has been found right (HMAC-SHA256 of the raw body, compared in constant
 * time). The same event can come twice, and an old one again: do each thing once for an order.
 * @throws WebhookSignatureError Answer 401 and do nothing.
 */
export function verifyWebhook({ rawBody, signatureHeader, secret }: VerifyWebhookInput): WebhookEvent {
  const body = bytesOf(rawBody);
  const given = typeof signatureHeader === "string" ? signatureHeader : "";
  const fits = secretsOf(secret).map((key) =>
    same(given, `sha256=${createHmac("sha256", key).update(body).digest("hex")}`),
  );
  if (!fits.includes(true))
    throw new WebhookSignatureError("X-Service-Sig does not fit the body and the secret");
  return eventOf(body);
}

/**
 * The same by the headers of Standard Webhooks, which also refuse what is older than `toleranceSeconds`: a recorded
 * request cannot be sent again.
 * @throws WebhookSignatureError Answer 401 and do nothing.
 */
export function verifyStandardWebhook(input: VerifyStandardWebhookInput): WebhookEvent {
  const { rawBody, secret, headers, toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = input;
  const body = bytesOf(rawBody);
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures)
    throw new WebhookSignatureError("a header of Standard Webhooks is missing");
  const apart = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || apart > toleranceSeconds)
    throw new WebhookSignatureError("webhook-timestamp is too far from now");
  const given = signatures.split(" ");
  const fits = secretsOf(secret).flatMap((key) => {
    const hmac = createHmac("sha256", decoded(key)).update(`${id}.${timestamp}.`).update(body);
    const expected = `v1,${hmac.digest("base64")}`;
    return given.map((each) => same(each, expected));
  });
  if (!fits.includes(true))
    throw new WebhookSignatureError("webhook-signature does not fit the body and the secret");
  return eventOf(body);
}

function bytesOf(rawBody: unknown): Buffer {
  if (typeof rawBody === "string") return Buffer.from(rawBody, "utf8");
  if (rawBody instanceof Uint8Array)
    return Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  throw new TypeError("rawBody must be the body's bytes or text, before it is parsed");
}

/** A missing secret is a mistake of ours, not of the sender: an empty key would sign for anybody. */
function secretsOf(secret: string | readonly string[] | undefined): readonly string[] {
  const secrets = typeof secret === "string" ? [secret] : (secret ?? []);
  if (secrets.length === 0 || secrets.some((each) => !each))
    throw new TypeError("secret is missing: set it to the text that was shown when the webhook was made");
  return secrets;
}

function decoded(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function headerOf(headers: VerifyStandardWebhookInput["headers"], name: string): string | undefined {
  if (typeof headers.get === "function") return headers.get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
}

function eventOf(body: Buffer): WebhookEvent {
  return JSON.parse(body.toString("utf8")) as WebhookEvent;
}
