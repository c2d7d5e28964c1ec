import { invalidField } from "../errors";
import { notAhead, type UnreadChain } from "./expiry-hold";

export const MAX_REQUIRED_CONFIRMATIONS = 100;
/** A coinbase output cannot be spent before (consensus rule). */
const COINBASE_MATURITY = 100;

export interface ConfirmationPolicy {
  requiredConfirmations: number;
  /** Above `aboveSats` (integer text); the highest tier that the price exceeds applies. */
  confirmationTiers: readonly { aboveSats: string; confirmations: number }[];
  /** Null: never. */
  zeroConfMaxSats: bigint | null;
}

/**
 * The request's, else the tier's, else the store's default. 0 becomes 1 above the store's cap, so that a
 * large price is not paid in small unconfirmed parts; `lenient`: also without the opt-in.
 * @throws DomainError `validation-failed` at `/requiredConfirmations`: not an integer of 0–100, or 0 without
 * the opt-in.
 */
export function requiredConfirmations(
  wished: number | null,
  policy: ConfirmationPolicy,
  dueSats: bigint,
  lenient = false,
): number {
  if (wished !== null) checkWish(wished, policy, lenient);
  const required = wished ?? byTier(policy, dueSats) ?? policy.requiredConfirmations;
  return required === 0 && !withinZeroConfCap(dueSats, policy.zeroConfMaxSats) ? 1 : required;
}

/** `required`: the invoice's fixed number. */
export function requiredForPayment(payment: {
  required: number;
  amountSats: bigint;
  zeroConfMaxSats: bigint | null;
  /** It signals replaceability, spends an unconfirmed output, or may have a missed conflict. */
  replaceable: boolean;
  coinbase: boolean;
}): number {
  if (payment.coinbase) return COINBASE_MATURITY;
  const refused = payment.replaceable || !withinZeroConfCap(payment.amountSats, payment.zeroConfMaxSats);
  return payment.required === 0 && refused ? 1 : payment.required;
}

/** The chain is checked every 5 s. */
const CHECKED_WITHIN_MS = 15_000;

/** Nothing was missed, and the node was checked completely just now. */
export function seesConflicts(
  { gaps, caughtUpTo }: Pick<UnreadChain, "gaps"> & { caughtUpTo: Date | null },
  now: Date,
): boolean {
  const checkedAt = notAhead(caughtUpTo, now);
  return gaps.length === 0 && checkedAt !== null && now.getTime() - checkedAt.getTime() <= CHECKED_WITHIN_MS;
}

function checkWish(wished: number, { zeroConfMaxSats }: ConfirmationPolicy, lenient: boolean): void {
  if (!Number.isInteger(wished) || wished < 0 || wished > MAX_REQUIRED_CONFIRMATIONS)
    throw invalidField(
      "/requiredConfirmations",
      `Must be a whole number from 0 to ${MAX_REQUIRED_CONFIRMATIONS}.`,
    );
  if (wished === 0 && zeroConfMaxSats === null && !lenient)
    throw invalidField("/requiredConfirmations", "Must be at least 1: the store has not opted in to 0.");
}

function byTier({ confirmationTiers }: ConfirmationPolicy, dueSats: bigint): number | undefined {
  return confirmationTiers
    .map(({ aboveSats, confirmations }) => ({ aboveSats: BigInt(aboveSats), confirmations }))
    .filter(({ aboveSats }) => dueSats > aboveSats)
    .sort((a, b) => (a.aboveSats < b.aboveSats ? 1 : -1))[0]?.confirmations;
}

function withinZeroConfCap(amountSats: bigint, zeroConfMaxSats: bigint | null): boolean {
  return zeroConfMaxSats !== null && amountSats <= zeroConfMaxSats;
}
