import { requiredConfirmations, type ConfirmationPolicy } from "./invoice/confirmations-required";

/** They decide when goods are released, and for how much. */
export interface ReleaseSettings extends ConfirmationPolicy {
  /** For amounts without a currency. */
  defaultCurrency: string;
  expiresInSeconds: number;
  /** Percent, decimal string. */
  paymentTolerance: string;
  /** Percent, decimal string. */
  rateSpread: string;
  /** Null: all. */
  rateSources: readonly string[] | null;
  checkoutOrigins: readonly string[];
}

/** Named as in the API. A change of one of them requires a fresh proof. */
export const RELEASE_SETTINGS = [
  "defaultCurrency",
  "expiresInSeconds",
  "paymentTolerance",
  "requiredConfirmations",
  "confirmationTiers",
  "zeroConfMaxSats",
  "rateSpread",
  "rateSources",
  "checkoutOrigins",
] as const satisfies readonly (keyof ReleaseSettings)[];

type Weakening = (before: ReleaseSettings, after: ReleaseSettings) => boolean;

/**
 * Confirmations change only at these prices: just above a tier's threshold, and around the cap of zero confirmations.
 */
function pricesThatMatter({ confirmationTiers, zeroConfMaxSats }: ReleaseSettings): bigint[] {
  const thresholds = confirmationTiers.map(({ aboveSats }) => BigInt(aboveSats) + 1n);
  return [1n, ...thresholds, ...(zeroConfMaxSats === null ? [] : [zeroConfMaxSats, zeroConfMaxSats + 1n])];
}

function needsFewerConfirmations(before: ReleaseSettings, after: ReleaseSettings): boolean {
  return [...pricesThatMatter(before), ...pricesThatMatter(after)].some(
    (price) => requiredConfirmations(null, after, price) < requiredConfirmations(null, before, price),
  );
}

function namesFewerSources(before: ReleaseSettings, after: ReleaseSettings): boolean {
  const { rateSources: chosen } = after;
  if (chosen === null) return false;
  return before.rateSources === null || before.rateSources.some((name) => !chosen.includes(name));
}

/** Nobody knows which of two currencies is worth less. */
const hasOtherCurrency: Weakening = (before, after) => after.defaultCurrency !== before.defaultCurrency;

const WEAKER: readonly [string, Weakening][] = [
  ["defaultCurrency", hasOtherCurrency],
  ["expiresInSeconds", (before, after) => after.expiresInSeconds > before.expiresInSeconds],
  ["paymentTolerance", (before, after) => Number(after.paymentTolerance) > Number(before.paymentTolerance)],
  ["confirmations", needsFewerConfirmations],
  [
    "zeroConfMaxSats",
    (before, after) =>
      after.zeroConfMaxSats !== null && after.zeroConfMaxSats > (before.zeroConfMaxSats ?? -1n),
  ],
  ["rateSpread", (before, after) => Number(after.rateSpread) < Number(before.rateSpread)],
  ["rateSources", namesFewerSources],
  [
    "checkoutOrigins",
    (before, after) => after.checkoutOrigins.some((origin) => !before.checkoutOrigins.includes(origin)),
  ],
];

/** By which goods are released sooner, or for less. */
export function weakenings(before: ReleaseSettings, after: ReleaseSettings): string[] {
  return WEAKER.filter(([, weaker]) => weaker(before, after)).map(([name]) => name);
}
