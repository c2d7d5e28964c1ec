import { expect } from "chai";
import { checkProofSuffices, passwordSuffices, type Factors } from "../../../domain/account/fresh-proof";
import { DomainError } from "../../../domain/errors";

const missing = (factors: Factors, given: { password?: string; code?: string }): string | null => {
  try {
    checkProofSuffices(factors, given);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.errors[0]?.pointer ?? "";
  }
};

describe("the rule for a fresh proof", () => {
  const [password, code] = ["p", "c"];
  for (const [what, factors, given, expected] of [
    ["the password alone", [1, 0, 0], { password }, null],
    ["no password", [1, 0, 0], {}, "/password"],
    ["a code that nothing made", [1, 0, 0], { code }, "/password"],
    ["the password alone beside an app", [1, 1, 0], { password }, "/code"],
    ["a code alone", [1, 1, 0], { code }, "/password"],
    ["password and code", [1, 1, 0], { password, code }, null],
    ["password and code beside an app and a passkey", [1, 1, 1], { password, code }, null],
    ["the password alone beside an app and a passkey", [1, 1, 1], { password }, "/code"],
    ["the password alone beside a passkey", [1, 0, 1], { password }, "/passkey"],
    ["password and a code that nothing made, beside a passkey", [1, 0, 1], { password, code }, "/passkey"],
    ["a code where there is no password", [0, 1, 0], { code }, null],
    ["anything where there is nothing", [0, 0, 0], { code }, "/password"],
  ] as const)
    it(`${expected === null ? "takes" : "refuses"} ${what}`, () => {
      const [has, totp, passkey] = factors;
      const account = { password: has === 1, totp: totp === 1, passkey: passkey === 1 };
      expect(missing(account, given)).to.equal(expected);
      const alone = account.password && !account.totp && !account.passkey;
      expect(passwordSuffices(account)).to.equal(alone);
    });
});
