import { invalidField, type DomainError } from "./errors";
import type { Network } from "./network";

export const SHOP_ORIGINS_MAX = 20;

const FIELD = "/checkoutOrigins";
/** The host-source of Content Security Policy Level 3, without a wildcard: no IPv6 address. */
const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3})$/;

/**
 * Scheme, host, and a port that is not the default; null for anything else, such as a host that would end a
 * policy's directive.
 */
export function originOf(text: string): string | null {
  // The URL standard drops blanks and line breaks silently, and reads "https:host" and backslashes.
  if (!/^https?:\/\/[^\s\p{Cc}/\\?#@]+\/?$/iu.test(text) || !URL.canParse(text)) return null;
  const { origin, hostname } = new URL(text);
  return HOST.test(hostname) ? origin : null;
}

/** May frame a store's checkout. @throws DomainError `validation-failed` at the one that is wrong. */
export function parseShopOrigins(texts: readonly string[], network: Network): string[] {
  const origins = texts.map((text, at) =>
    parse(text.trim(), network, (why) => invalidField(`${FIELD}/${at}`, why)),
  );
  const twice = origins.findIndex((origin, at) => origins.indexOf(origin) < at);
  if (twice >= 0) throw invalidField(`${FIELD}/${twice}`, "Must not be listed twice.");
  return origins;
}

function parse(text: string, network: Network, refusal: (why: string) => DomainError): string {
  const origin = originOf(text);
  if (origin === null)
    throw refusal(
      "Must be the origin of a website, such as https://shop.example: no path, no wildcard, no IPv6 address.",
    );
  if (!isLocalOrSecure(origin, network))
    throw refusal("Must begin with https://: on mainnet http:// is for this computer only.");
  return origin;
}

/** On mainnet by https, or on this computer. */
export function isLocalOrSecure(origin: string, network: Network): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === "https:" || network !== "mainnet" || LOOPBACK.test(hostname);
}
