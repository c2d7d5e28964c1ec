const HEAD = "whsec_";
export const WEBHOOK_SECRET_BYTES = 32;

/** A webhook's signing secret as Standard Webhooks writes it: `whsec_` and the base64 of 32 random bytes. */
export function webhookSecret(random: Uint8Array): string {
  if (random.length !== WEBHOOK_SECRET_BYTES)
    throw new RangeError(`a webhook secret is made of ${WEBHOOK_SECRET_BYTES} bytes`);
  return HEAD + Buffer.from(random).toString("base64");
}

/** The bytes that Standard Webhooks keys its HMAC with: what follows `whsec_`, decoded. */
export function webhookSecretBytes(secret: string): Buffer {
  if (!secret.startsWith(HEAD)) throw new RangeError(`a webhook secret begins with ${HEAD}`);
  return Buffer.from(secret.slice(HEAD.length), "base64");
}
