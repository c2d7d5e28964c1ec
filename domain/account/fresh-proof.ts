import { invalidField } from "../errors";

/** An account's means of proving that its user is at the browser. */
export interface Factors {
  password: boolean;
  /** An authenticator app, with recovery codes for when it is lost. */
  totp: boolean;
  passkey: boolean;
}

export function hasSecondFactor({ totp, passkey }: Omit<Factors, "password">): boolean {
  return totp || passkey;
}

/**
 * The rule for a fresh proof other than a passkey, which always is one: the password with a code of the app or a
 * recovery code if there is an app; the password alone only without a second factor.
 * @throws DomainError `validation-failed` at what is missing. It does not check whether the values are right.
 */
export function checkProofSuffices(
  factors: Factors,
  given: { password?: string | undefined; code?: string | undefined },
): void {
  if (factors.totp && given.code === undefined)
    throw invalidField("/code", "Required: send a code of the authenticator app or a recovery code.");
  if (factors.passkey && !factors.totp)
    throw invalidField("/passkey", "Required: confirm with one of your passkeys.");
  if (given.password === undefined && (factors.password || !factors.totp))
    throw invalidField(
      "/password",
      factors.password ? "Required." : "This account has no password yet: set one first.",
    );
}

/** Whether the present password alone is enough. */
export function passwordSuffices(factors: Factors): boolean {
  return factors.password && !hasSecondFactor(factors);
}
