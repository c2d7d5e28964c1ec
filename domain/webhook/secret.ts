import { invalidField } from "../errors";
import type { WebhookDialect } from "./dialect";

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
