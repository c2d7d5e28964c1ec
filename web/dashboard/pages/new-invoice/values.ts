/** Named as the API's. Empty: the store's own. */
export interface NewInvoiceValues {
  amount: string;
  currency: string;
  metadata: { orderId: string };
  description: string;
  expiresInSeconds: string;
  redirectUrl: string;
  requiredConfirmations: string | number;
  paymentTolerance: string | number;
}

const text = (name: string, value: string) => (value.trim() === "" ? {} : { [name]: value.trim() });
const number = (name: string, value: string | number) => (value === "" ? {} : { [name]: Number(value) });

/** Without empty fields. A comma is a decimal point when there is no other. */
export function bodyOf(values: NewInvoiceValues): Record<string, unknown> {
  const { amount, currency, metadata, description, expiresInSeconds, redirectUrl } = values;
  const orderId = text("orderId", metadata.orderId);
  return {
    amount: amount.replaceAll(/\s/g, "").replace(/^(\d+),(\d+)$/, "$1.$2"),
    currency: currency.trim(),
    ...(Object.keys(orderId).length === 0 ? {} : { metadata: orderId }),
    ...text("description", description),
    ...number("expiresInSeconds", expiresInSeconds),
    ...text("redirectUrl", redirectUrl),
    ...number("requiredConfirmations", values.requiredConfirmations),
    ...number("paymentTolerance", values.paymentTolerance),
  };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const USUAL = [15 * MINUTE, HOUR, DAY, 7 * DAY, 30 * DAY];

export function expiriesFor(ownSeconds: number): { value: string; label: string }[] {
  const all = [...new Set([ownSeconds, ...USUAL])].sort((a, b) => a - b);
  return all.map((seconds) => ({
    value: String(seconds),
    label: seconds === ownSeconds ? `${spanOf(seconds)} (the store's setting)` : spanOf(seconds),
  }));
}

const UNITS = [
  [DAY, "day"],
  [HOUR, "hour"],
  [MINUTE, "minute"],
  [1, "second"],
] as const;

/** "15 minutes", "1 day": the largest unit without a fraction. */
export function spanOf(seconds: number): string {
  const [length, name] = UNITS.find(([unit]) => seconds % unit === 0) ?? [1, "second"];
  const count = seconds / length;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
