const BASE58 = "[1-9A-HJ-NP-Za-km-z]";
const MADE_NOW = new RegExp(`^[a-z]+_${BASE58}{25}$`);
const INVOICE = new RegExp(`^inv(?=${BASE58}{22,64}$)`);
const WEBHOOK = new RegExp(`^wh(?=${BASE58}{22,64}$)`);

/**
 * Plugins take letters and digits alone. Ids of 24 characters had been given out with their underscore
 * before, and stay as they are; new ones have 25.
 */
export function withoutUnderscore(id: string): string {
  return MADE_NOW.test(id) ? id.replace("_", "") : id;
}

/** The native spelling of an invoice's id that is given in either; any other text unchanged. */
export function nativeInvoiceId(given: string): string {
  return given.replace(INVOICE, "inv_");
}

/** The same of a webhook's. */
export function nativeWebhookId(given: string): string {
  return given.replace(WEBHOOK, "wh_");
}
