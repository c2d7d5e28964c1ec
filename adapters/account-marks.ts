import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { normalisedEmail } from "../domain/account/email";

const DEVICE_LIFETIME_MS = 180 * 24 * 3_600_000;
const NONCE_BYTES = 16;

export interface DeviceCookie {
  name: string;
  value: string;
  expiresAt: Date;
}

/** They identify nobody, and are keyed from `APP_SECRET`. */
export interface AccountMarks {
  /** Without the secret a list of addresses cannot be tried against it. */
  hash(email: string): string;
  /** A known `device` is reused, so that its tries stay counted. */
  deviceCookie(email: string, device: string | null): DeviceCookie;
  /** Null: not given out for this account, or expired. */
  readDevice(email: string, cookie: (name: string) => string | undefined): string | null;
}

const deriveKey = (secret: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", "quittance account marks v1", 32));

const mac = (key: Buffer, ...parts: string[]): string =>
  createHmac("sha256", key).update(parts.join("\n")).digest("base64url");

const hashOf = (key: Buffer, email: string): string =>
  mac(key, "account", normalisedEmail(email)).slice(0, 22);

const nameOf = (account: string): string => `quittance-device-${account.slice(0, 10)}`;

const equal = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/**
 * OWASP's device cookies: `nonce.expiry.signature`, proving only an earlier login to this account with this browser.
 */
export function makeAccountMarks(options: {
  appSecret: string;
  appSecretOld?: string | undefined;
}): AccountMarks {
  const current = deriveKey(options.appSecret);
  const keys = options.appSecretOld === undefined ? [current] : [current, deriveKey(options.appSecretOld)];

  function deviceOf(key: Buffer, account: string, cookie: string | undefined): string | null {
    const [nonce = "", expiry = "", signature = "", ...rest] = (cookie ?? "").split(".");
    if (nonce === "" || rest.length > 0) return null;
    if (!equal(signature, mac(key, "device", account, nonce, expiry))) return null;
    return Number.parseInt(expiry, 36) > Date.now() ? nonce : null;
  }

  return {
    hash: (email) => hashOf(current, email),
    deviceCookie(email, device) {
      const account = hashOf(current, email);
      const nonce = device ?? randomBytes(NONCE_BYTES).toString("base64url");
      const expiresAt = new Date(Date.now() + DEVICE_LIFETIME_MS);
      const expiry = expiresAt.getTime().toString(36);
      const signature = mac(current, "device", account, nonce, expiry);
      return { name: nameOf(account), value: `${nonce}.${expiry}.${signature}`, expiresAt };
    },
    readDevice(email, cookie) {
      for (const key of keys) {
        const account = hashOf(key, email);
        const device = deviceOf(key, account, cookie(nameOf(account)));
        if (device !== null) return device;
      }
      return null;
    },
  };
}
