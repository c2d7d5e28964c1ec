/**
 * Why an invoice's payment method has no destination. Stable, kebab-case.
 * - `not-activated`: its address is allocated when the customer first opens the page, or by API.
 * - `being-issued`: a BOLT11 over what is due now is on its way.
 * - `node-unavailable`: the Lightning node did not answer; it gets one as soon as the node is back.
 * - `exceeds-receivable`: what is due is more than the Lightning node's channels can receive now.
 * - `node-clock`: the Lightning node's clock is wrong, so that wallets would refuse its BOLT11s.
 * - `no-longer-payable`: nothing is due by this method any more: paid, expired, or marked by hand.
 * - `not-authentic`: what the database has is not what this service stored, so it is not shown. Set by readers, never
 *   stored.
 */
export const METHOD_REASONS = [
  "not-activated",
  "being-issued",
  "node-unavailable",
  "exceeds-receivable",
  "node-clock",
  "no-longer-payable",
  "not-authentic",
] as const;
export type MethodReason = (typeof METHOD_REASONS)[number];
