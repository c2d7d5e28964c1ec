/** BOLT 9, by the even bit (required; the odd one after it is optional). */
const FEATURES: ReadonlyMap<number, { name: string; needs?: number }> = new Map([
  [8, { name: "var_onion_optin" }],
  [14, { name: "payment_secret", needs: 8 }],
  [16, { name: "basic_mpp", needs: 14 }],
  [24, { name: "route_blinding", needs: 8 }],
  [36, { name: "attribution_data" }],
  [48, { name: "payment_metadata" }],
]);

/** BOLT 11's field 9, rising. */
export function featureBits(words: readonly number[]): number[] {
  return words
    .toReversed()
    .flatMap((word, i) => [0, 1, 2, 3, 4].flatMap((bit) => ((word >> bit) & 1 ? [i * 5 + bit] : [])));
}

/** Null when they do not forbid to pay. An unknown odd bit may be ignored, an even one may not. */
export function featureProblem(bits: readonly number[]): string | null {
  const unknown = bits.find((bit) => bit % 2 === 0 && !FEATURES.has(bit));
  if (unknown !== undefined) return `it requires the unknown feature ${unknown}`;
  const offered = new Set(bits.map((bit) => bit - (bit % 2)));
  for (const bit of offered) {
    const feature = FEATURES.get(bit);
    if (feature?.needs !== undefined && !offered.has(feature.needs))
      return `its feature ${feature.name} needs ${FEATURES.get(feature.needs)?.name}, which it does not offer`;
  }
  return null;
}
