import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface AddressRange {
  network: Address;
  prefixLength: number;
}

/** IPv4 in IPv6 unmapped; null if the text is not one. Octal and short forms are refused. */
export function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** `10.0.0.0/8` or a single address; null if the text is neither. */
export function parseRange(text: string): AddressRange | null {
  const [literal = "", bits, ...rest] = text.split("/");
  const network = parseAddress(literal);
  if (network === null || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  const width = network.kind() === "ipv4" ? 32 : 128;
  const prefixLength = bits === undefined ? width : Number(bits);
  return prefixLength <= width ? { network, prefixLength } : null;
}

export function isInRange(address: Address, { network, prefixLength }: AddressRange): boolean {
  return network.kind() === address.kind() && address.match(network, prefixLength);
}

/**
 * `what`: the kind of entry, and how to write one.
 * @throws RangeError that names every entry that it cannot read.
 */
export function parseRanges<R extends AddressRange>(
  list: readonly string[],
  parse: (text: string) => R | null,
  what: string,
): R[] {
  const parsed = list.map((text) => ({ text, entry: parse(text.trim()) }));
  const wrong = parsed.filter(({ entry }) => entry === null).map(({ text }) => `"${text}"`);
  if (wrong.length > 0) throw new RangeError(`names ${wrong.join(", ")}, which is not an ${what}`);
  return parsed.flatMap(({ entry }) => entry ?? []);
}
