import { invalidField, type DomainError } from "../errors";
import type { Network } from "../network";
import { isAllowedAddress, type AllowedCidr } from "./address";

const URL_MAX_LENGTH = 2_000;
const POINTER = "/url";

/** Where the service may send: https alone on mainnet, public addresses and those that the operator allows. */
export interface EndpointRules {
  network: Network;
  allowedCidrs: readonly AllowedCidr[];
}

/** The host in the form that sockets expect: without the brackets around IPv6 in a URL. */
export function endpointHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

export function endpointPort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/**
 * The refusal of an endpoint whose address is not public. It omits the address: internal names are not for members.
 */
export function addressRefused(): DomainError {
  return invalidField(
    POINTER,
    "The URL's host is a loopback, private or other special address, to which webhooks are not sent. Use a public host, or ask the server's operator to allow the address in WEBHOOK_ALLOWED_CIDRS.",
  );
}

/**
 * An endpoint's URL at registration. Throws `validation-failed` with what to fix. A host given by name is checked by
 * its addresses elsewhere: here only literals are, in all the spellings of the URL standard (`0x7f.1`, `2130706433`,
 * full-width digits).
 */
export function parseEndpointUrl(text: string, rules: EndpointRules): URL {
  if (text.length > URL_MAX_LENGTH) {
    throw invalidField(POINTER, `The URL is longer than ${URL_MAX_LENGTH} characters.`);
  }
  // The URL standard drops blanks and line breaks silently, and reads a backslash as a slash; what is stored and shown must be what is called.
  if (/[\s\p{Cc}\\]/u.test(text))
    throw invalidField(POINTER, "The URL contains a space, a backslash or a control character.");
  if (!URL.canParse(text)) {
    throw invalidField(POINTER, "Not a URL. Write it in full, as in https://shop.example/webhook.");
  }
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw invalidField(POINTER, "The URL must begin with https://.");
  }
  if (url.protocol === "http:" && rules.network === "mainnet") {
    throw invalidField(
      POINTER,
      "The URL must begin with https://: on mainnet webhooks are sent over TLS only.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw invalidField(
      POINTER,
      "The URL contains a user name or a password. Remove them: the signature authenticates each request.",
    );
  }
  if (text.includes("#")) {
    throw invalidField(POINTER, "The URL contains a fragment (#…), which is never sent. Remove it.");
  }
  const host = endpointHost(url);
  const literal = url.hostname.startsWith("[") || /^[\d.]+$/.test(host);
  if (literal && !isAllowedAddress(host, endpointPort(url), rules.allowedCidrs)) throw addressRefused();
  return url;
}
