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

const STEPS = [
  [1_000_000_000, "G"],
  [1_000_000, "M"],
  [1_000, "k"],
] as const;

/** "25k", "1.5M". */
export function shortNumber(value: number): string {
  const step = STEPS.find(([size]) => value >= size);
  return step === undefined ? groupDigits(value) : `${Number((value / step[0]).toFixed(1))}${step[1]}`;
}
