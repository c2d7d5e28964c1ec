/** Why an invoice's payment method has no destination. Stable, kebab-case. */
export const METHOD_REASONS = [
  "not-activated", // its address is allocated when the customer first opens the page, or by API
  "not-chosen", // of a payment link: allocated when the customer chooses to pay on-chain, or by API
  "being-issued", // a BOLT11 over what is due now is on its way
  "node-unavailable",
  "exceeds-receivable", // more is due than the Lightning node's channels can receive now
  "node-clock", // the Lightning node's clock is wrong: wallets would refuse its BOLT11s
  "no-longer-payable", // paid, expired, marked by hand, or the store has no Lightning node now
  "not-authentic", // not what this service stored. Set by readers, never stored
] as const;
export type MethodReason = (typeof METHOD_REASONS)[number];

/** An address can still be allocated. */
export const WITHOUT_ADDRESS = ["not-activated", "not-chosen"] as const satisfies readonly MethodReason[];
