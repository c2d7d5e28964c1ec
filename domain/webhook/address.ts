import ipaddr from "ipaddr.js";
import {
  type Address,
  type AddressRange,
  isInRange,
  parseAddress,
  parseRange,
  parseRanges,
} from "../ip-address";

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
