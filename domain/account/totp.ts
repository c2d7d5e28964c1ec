import { Secret, TOTP } from "otpauth";

/** RFC 4226, section 4: at least 128 bits, 160 recommended. */
export const TOTP_SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Typing takes time: the previous step is accepted too (RFC 6238, section 5.2). */
const STEPS = [0, -1] as const;

/** SHA-1, six digits, 30 seconds: all authenticator apps support it. */
function totpOf(secret: string, label = ""): TOTP {
  return new TOTP({ issuer: "Quittance", label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
}

/** Base32, as apps take it typed in. */
export function totpSecret(random: Uint8Array<ArrayBuffer>): string {
  return new Secret({ buffer: random.slice().buffer }).base32;
}

/** The `otpauth:` URI that is shown as a QR code. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

export function timeOfStep(step: number): Date {
  return new Date(step * PERIOD_SECONDS * 1_000);
}

/** Digits, with any grouping. */
export function looksLikeTotp(code: string): boolean {
  return /^\d{6}$/.test(code.replaceAll(/\s/g, ""));
}

/** Null if none, or up to `lastStep`: a code that was read over a shoulder is useless (RFC 6238, section 5.2). */
export function acceptedStep(
  { secret, lastStep }: { secret: string; lastStep: number | null },
  code: string,
  now: Date,
): number | null {
  if (!looksLikeTotp(code)) return null;
  const token = code.replaceAll(/\s/g, "");
  const totp = totpOf(secret);
  const good = STEPS.find((steps) => {
    const timestamp = now.getTime() + steps * PERIOD_SECONDS * 1_000;
    return totp.validate({ token, timestamp, window: 0 }) !== null;
  });
  if (good === undefined) return null;
  const step = Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + good;
  return lastStep !== null && step <= lastStep ? null : step;
}
