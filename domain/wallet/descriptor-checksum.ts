const INPUT_CHARSET =
  "0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
const CHECKSUM_CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn];

/** BIP 380: eight characters; null where a character is not allowed. */
export function descriptorChecksum(descriptor: string): string | null {
  const symbols: number[] = [];
  let groups: number[] = [];
  for (const character of descriptor) {
    const position = INPUT_CHARSET.indexOf(character);
    if (position < 0) return null;
    symbols.push(position & 31);
    groups.push(position >> 5);
    if (groups.length === 3) {
      symbols.push(groups.reduce((sum, group) => sum * 3 + group, 0));
      groups = [];
    }
  }
  if (groups.length > 0) symbols.push(groups.reduce((sum, group) => sum * 3 + group, 0));
  const remainder = polymod([...symbols, 0, 0, 0, 0, 0, 0, 0, 0]) ^ 1n;
  return Array.from(
    { length: 8 },
    (_, i) => CHECKSUM_CHARSET[Number((remainder >> BigInt(5 * (7 - i))) & 31n)],
  ).join("");
}

function polymod(symbols: readonly number[]): bigint {
  let checksum = 1n;
  for (const symbol of symbols) {
    const top = checksum >> 35n;
    checksum = ((checksum & 0x7ffffffffn) << 5n) ^ BigInt(symbol);
    GENERATOR.forEach((value, i) => {
      if ((top >> BigInt(i)) & 1n) checksum ^= value;
    });
  }
  return checksum;
}
