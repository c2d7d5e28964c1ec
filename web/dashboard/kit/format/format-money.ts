const SATS_PER_BTC = 100_000_000;
const NUMBER = new Intl.NumberFormat();

/** As the reader's language writes it, beside amounts in fiat. */
export const groupDigits = (value: number): string => NUMBER.format(value);

export const formatSats = (sats: number): string => `${groupDigits(sats)} sats`;

/** All eight decimals: columns line up. */
export const formatBtc = (sats: number): string => `${(sats / SATS_PER_BTC).toFixed(8)} BTC`;

/** As the reader's language writes it; BTC and SATS too. */
export function formatAmount(amount: string, currency: string): string {
  if (currency === "SATS") return formatSats(Number(amount));
  if (currency === "BTC") return `${amount} BTC`;
  try {
    return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(Number(amount));
  } catch {
    return `${amount} ${currency}`;
  }
}
