const BASE58 = "[1-9A-HJ-NP-Za-km-z]";
const MADE_NOW = new RegExp(`^[a-z]+_${BASE58}{25}$`);
/** No store's id, which is longer, is taken for one. */
const WITHOUT_UNDERSCORE = new RegExp(`^(inv|wh)(?=${BASE58}{24,25}$)`);

/**
 * Plugins take letters and digits alone. Ids of 24 characters had been given out with their underscore
 * before, and stay as they are; new ones have 25.
 */
export function withoutUnderscore(id: string): string {
  return MADE_NOW.test(id) ? id.replace("_", "") : id;
}

/** The native spelling of an invoice's or webhook's id that is given in either; any other text unchanged. */
export function nativeId(given: string): string {
  return given.replace(WITHOUT_UNDERSCORE, "$1_");
}
