import ipaddr from "ipaddr.js";
import {
  type Address,
  type AddressRange,
  isInRange,
  parseAddress,
  parseRange,
  parseRanges,
} from "./ip-address";

/** The entries of `TRUST_PROXY`. Throws a RangeError that names every entry that it cannot read. */
export function parseTrustedProxies(list: readonly string[]): AddressRange[] {
  return parseRanges(list, parseRange, "address or range; write 10.0.0.0/8, 127.0.0.1 or ::1");
}

const isTrusted = (address: Address, trusted: readonly AddressRange[]): boolean =>
  trusted.some((range) => isInRange(address, range));

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function parseForwarded(text: string): Address | null {
  const bare = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text);
  return parseAddress(bare?.[1] ?? bare?.[2] ?? text);
}

/** The last address that is not a trusted proxy's: entries left of it are only its sender's claim. */
export function clientAddress(
  remoteAddress: string,
  forwardedFor: string,
  trusted: readonly AddressRange[],
): Address | null {
  let client = parseAddress(remoteAddress);
  const said = forwardedFor.split(",").map((text) => text.trim());
  while (client !== null && isTrusted(client, trusted)) {
    const before = parseForwarded(said.pop() ?? "");
    if (before === null) break;
    client = before;
  }
  return client;
}

/** Where an operator's reverse proxy usually is. */
const NEARBY = ["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"];

/** A proxy of this machine or network that is not configured: all its clients would count as one. */
export function cameByUnnamedProxy(
  remoteAddress: string,
  forwardedFor: string | undefined,
  trusted: readonly AddressRange[],
): boolean {
  if (forwardedFor === undefined) return false;
  const address = parseAddress(remoteAddress);
  return address !== null && NEARBY.includes(address.range()) && !isTrusted(address, trusted);
}

/** This service does not serve TLS: if browsers use https, there is a proxy. */
export function lacksNamedProxy(publicUrl: string, trusted: readonly unknown[]): boolean {
  return publicUrl.startsWith("https:") && trusted.length === 0;
}

/** The key by which a sender's requests are counted: an IPv6 subscriber has a whole /64. */
export function senderOf(address: Address | null): string {
  if (address === null) return "unknown";
  return address instanceof ipaddr.IPv4 ? address.toString() : `${groups(address, 4)}::/64`;
}

/** Null for IPv4. */
export function networkOf(address: Address | null): string | null {
  return address === null || address instanceof ipaddr.IPv4 ? null : `${groups(address, 3)}::/48`;
}

function groups({ parts }: ipaddr.IPv6, count: number): string {
  return parts
    .slice(0, count)
    .map((part) => part.toString(16))
    .join(":");
}
