import { randomBytes } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { makePasswords } from "../../../adapters/passwords";
import { DomainError } from "../../../domain/errors";
import { checkedPassword, type PasswordJudge } from "../../../domain/account/password";
import { RECOVERY_CODE_BYTES, recoveryCode, recoveryCodeHash } from "../../../domain/account/recovery-code";
import { roleReaches, STORE_ROLES } from "../../../domain/account/store-role";
import { acceptedStep, totpSecret } from "../../../domain/account/totp";

describe("a password", () => {
  const EMAIL = "shopkeeper@flowers.example";
  let judge: PasswordJudge;
  const check = (password: string): string => checkedPassword(password, EMAIL, judge);
  before(async () => {
    judge = await makePasswords().judge();
  });

  it("may be anything that is long and hard to guess", () => {
    for (const password of [
      "xk29dkdiwl",
      "correct horse battery",
      "žluťoučký kůň",
      "日本語の長い合い言葉です",
      "🦒".repeat(3) + "giraffes",
    ])
      expect(check(password)).to.equal(password.normalize("NFKC"));
  });

  it("is the same for every Unicode composition of its letters", () => {
    expect(check("z\u030Cirafa v zahrade\u030C")).to.equal(check("\u017Eirafa v zahrad\u011B"));
  });

  for (const password of ["short", "1234567890", "passwordpassword", "P@ssw0rd2024", EMAIL, "Quittance1"])
    it(`is refused: ${password}`, () => {
      expect(() => check(password))
        .to.throw(DomainError)
        .with.property("code", "validation-failed");
    });

  it("is checked quickly, however long it is", () => {
    const judged: string[] = [];
    checkedPassword(randomBytes(500).toString("hex"), EMAIL, (text, words) => {
      judged.push(text);
      return judge(text, words);
    });
    // Judging takes more than linear time: of 1,000 characters a third of a second.
    expect(judged.map(({ length }) => length)).to.deep.equal([32]);
  });
});

describe("a TOTP code", () => {
  /** RFC 6238, appendix B: the SHA-1 key, of whose eight digits the last six are the code. */
  const secret = totpSecret(Uint8Array.from(Buffer.from("12345678901234567890")));
  for (const [seconds, code] of [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ] as const)
    it(`accepts RFC 6238's code at ${seconds} s, once`, () => {
      const now = new Date(seconds * 1_000);
      const step = acceptedStep({ secret, lastStep: null }, code, now);
      expect(step).to.equal(Math.floor(seconds / 30));
      expect(acceptedStep({ secret, lastStep: step }, code, now)).to.equal(null);
    });

  it("reads grouped digits, and nothing else", () => {
    const now = new Date(59_000);
    expect(acceptedStep({ secret, lastStep: null }, "287 082", now)).to.equal(1);
    for (const code of ["", "28708", "2870820", "28708a", "٢٨٧٠٨٢"])
      expect(acceptedStep({ secret, lastStep: null }, code, now), code).to.equal(null);
  });
});

describe("a recovery code", () => {
  it("has at least 112 bits and is read however it is typed", () => {
    const size = RECOVERY_CODE_BYTES;
    expect(recoveryCode(Buffer.alloc(size)).replaceAll("-", "").length * 5).to.be.at.least(112);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: size, maxLength: size }), (bytes) => {
        const code = recoveryCode(Buffer.from(bytes));
        expect(code).to.match(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
        const typed = code.toLowerCase().replaceAll("-", "").replaceAll("0", "o").replaceAll("1", "l");
        expect(recoveryCodeHash(typed).equals(recoveryCodeHash(code))).to.equal(true);
      }),
    );
    expect(recoveryCode(Buffer.alloc(size))).not.to.equal(recoveryCode(Buffer.alloc(size, 1)));
  });
});

describe("a store role", () => {
  it("includes the rights of lesser ones, and more", () => {
    expect(STORE_ROLES.map((role) => roleReaches(role, "member"))).to.deep.equal([false, true, true]);
  });
});
