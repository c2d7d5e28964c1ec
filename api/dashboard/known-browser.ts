import type { CommandContext } from "../../commands/context";
import { normalisedEmail } from "../../domain/account/email";

const LIFETIME_MS = 180 * 24 * 3_600_000;
const NONCE_BYTES = 16;

type Keys = Pick<CommandContext, "secrets" | "randomBytes">;

/** Under the present secret, then the former: without them a list of addresses cannot be tried against it. */
const hashesOf = ({ secrets }: Pick<Keys, "secrets">, email: string): string[] =>
  secrets
    .lookupHashes(`account ${normalisedEmail(email)}`)
    .map((hash) => hash.toString("base64url").slice(0, 22));

export const hashOfEmail = (keys: Pick<Keys, "secrets">, email: string): string =>
  hashesOf(keys, email)[0] ?? "";

const nameOf = (account: string): string => `quittance-device-${account.slice(0, 10)}`;

const fieldsOf = (account: string, nonce: string, expiry: string): string[] => [
  "device",
  account,
  nonce,
  expiry,
];

/**
 * OWASP's device cookie: `nonce.expiry.mac`, proving only an earlier login to this account with this browser. A known
 * `device` is reused, so that its tries stay counted.
 */
export function deviceCookie(keys: Keys, email: string, device: string | null) {
  const account = hashOfEmail(keys, email);
  const nonce = device ?? keys.randomBytes(NONCE_BYTES).toString("base64url");
  const expiresAt = new Date(Date.now() + LIFETIME_MS);
  const expiry = expiresAt.getTime().toString(36);
  const mac = keys.secrets.mac(fieldsOf(account, nonce, expiry)).toString("base64url");
  return { name: nameOf(account), value: `${nonce}.${expiry}.${mac}`, expiresAt };
}

/** Null: not given out for this account, or expired. */
export function readDevice(
  keys: Pick<Keys, "secrets">,
  email: string,
  cookie: (name: string) => string | undefined,
): string | null {
  for (const account of hashesOf(keys, email)) {
    const [nonce = "", expiry = "", mac = "", ...rest] = (cookie(nameOf(account)) ?? "").split(".");
    const isOurs = keys.secrets.macMatches(Buffer.from(mac, "base64url"), fieldsOf(account, nonce, expiry));
    if (rest.length === 0 && isOurs && Number.parseInt(expiry, 36) > Date.now()) return nonce;
  }
  return null;
}
