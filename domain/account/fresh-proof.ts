import { invalidField } from "../errors";

export interface Factors {
  password: boolean;
  totp: boolean;
  passkey: boolean;
}

export function hasSecondFactor({ totp, passkey }: Omit<Factors, "password">): boolean {
  return totp || passkey;
}

/**
 * A fresh proof other than a passkey: the password, with a code of the app or a recovery code if there is an app.
 * @throws DomainError `validation-failed` at what is missing; whether the values are right is checked elsewhere.
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

export function passwordSuffices(factors: Factors): boolean {
  return factors.password && !hasSecondFactor(factors);
}
