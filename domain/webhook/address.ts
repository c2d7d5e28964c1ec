import ipaddr from "ipaddr.js";
import {
  type Address,
  type AddressRange,
  isInRange,
  parseAddress,
  parseRange,
  parseRanges,
} from "../ip-address";
import { invalidField, type DomainError } from "../errors";
import type { Network } from "../network";

/** A range that the operator allows although it is not public, for one port or for all. */
export interface AllowedCidr extends AddressRange {
  port: number | null;
}

/** The public part of IPv6: the rest of its space is unassigned or special. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
/** The host agent of a large cloud, on an address that looks public (instance settings are served there). */
const CLOUD_HOST_AGENT = "168.63.129.16";

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4
    ? address.toString() !== CLOUD_HOST_AGENT
    : address.match(GLOBAL_UNICAST);
}

/** Whether an address literal is public. */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip);
  return address !== null && isPublic(address);
}

/** Whether the operator's list allows an address literal, public or not. */
export function isListedAddress(ip: string, port: number, allowed: readonly AllowedCidr[]): boolean {
  const address = parseAddress(ip);
  if (address === null) return false;
  return allowed.some((entry) => (entry.port === null || entry.port === port) && isInRange(address, entry));
}

/**
 * Whether webhooks may go to this address and port: it is public, or the operator allows it. IPv4 inside IPv6
 * (`::ffff:127.0.0.1`) is treated as IPv4; other forms that carry an IPv4 address (NAT64, 6to4, Teredo) are not
 * public. A text that is not an address literal is refused.
 */
export function isAllowedAddress(ip: string, port: number, allowed: readonly AllowedCidr[]): boolean {
  return isPublicAddress(ip) || isListedAddress(ip, port, allowed);
}

const BRACKETED = /^\[([^[\]]+)\](?::(\d{1,5}))?$/;
const CIDR = /^([^[\]/]+\/\d{1,3})(?::(\d{1,5}))?$/;
const BARE_IPV4 = /^([\d.]+)(?::(\d{1,5}))?$/;

function parseAllowedCidr(text: string): AllowedCidr | null {
  const match = BRACKETED.exec(text) ?? CIDR.exec(text) ?? BARE_IPV4.exec(text);
  const [, range = text, portText] = match ?? [];
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  const parsed = parseRange(range);
  return parsed && { ...parsed, port };
}

/**
 * The entries of `WEBHOOK_ALLOWED_CIDRS`: a range or a single address, each with or without `:port`; IPv6 with a port
 * is in brackets, as in `[fd00::/8]:8080`. Throws a RangeError that names every entry that it cannot read.
 */
export function parseAllowedCidrs(list: readonly string[]): AllowedCidr[] {
  return parseRanges(
    list,
    parseAllowedCidr,
    "address range; write 10.0.0.0/8, 127.0.0.1/32:3000, fd00::/8 or [fd00::/8]:8080",
  );
}

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
