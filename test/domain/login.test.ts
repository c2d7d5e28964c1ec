import { randomBytes } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { DomainError } from "../../domain/errors";
import { checkedPassword } from "../../domain/password";
import { recoveryCode, recoveryCodeHash } from "../../domain/recovery-code";
import { permissionsOf, roleReaches, STORE_ROLES } from "../../domain/store-role";
import { acceptedStep, totpSecret } from "../../domain/totp";

describe("password", () => {
  const EMAIL = "shopkeeper@flowers.example";
  it("may be anything that is long and not guessed soon", async () => {
    for (const password of [
      "xk29dkdiwl",
      "correct horse battery",
      "žluťoučký kůň",
      "日本語の長い合い言葉です",
      "🦒".repeat(3) + "giraffes",
    ])
      expect(await checkedPassword(password, EMAIL)).to.equal(password.normalize("NFKC"));
  });

  it("is the same however a keyboard composes its letters", async () => {
    expect(await checkedPassword("z\u030Cirafa v zahrade\u030C", EMAIL)).to.equal(
      await checkedPassword("\u017Eirafa v zahrad\u011B", EMAIL),
    );
  });

  for (const password of ["short", "1234567890", "passwordpassword", "P@ssw0rd2024", EMAIL, "Quittance1"])
    it(`is not ${password}`, async () => {
      const refused = await checkedPassword(password, EMAIL).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(DomainError).with.property("code", "validation-failed");
    });

  it("is judged soon, however long it is", async () => {
    const startedAt = performance.now();
    await checkedPassword(randomBytes(500).toString("hex"), EMAIL);
    expect(performance.now() - startedAt).to.be.below(1_000);
  });
});

describe("TOTP", () => {
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

  it("reads digits in groups, and nothing else", () => {
    const now = new Date(59_000);
    expect(acceptedStep({ secret, lastStep: null }, "287 082", now)).to.equal(1);
    for (const code of ["", "28708", "2870820", "28708a", "٢٨٧٠٨٢"])
      expect(acceptedStep({ secret, lastStep: null }, code, now), code).to.equal(null);
  });
});

describe("recovery code", () => {
  it("has 80 bits and is read however it is typed", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (bytes) => {
        const code = recoveryCode(Buffer.from(bytes));
        expect(code).to.match(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
        const typed = code.toLowerCase().replaceAll("-", "").replaceAll("0", "o").replaceAll("1", "l");
        expect(recoveryCodeHash(typed).equals(recoveryCodeHash(code))).to.equal(true);
      }),
    );
    expect(recoveryCode(Buffer.alloc(10))).not.to.equal(recoveryCode(Buffer.alloc(10, 1)));
  });
});

describe("store role", () => {
  it("may do what lesser ones may, and more", () => {
    expect(STORE_ROLES.map(permissionsOf)).to.deep.equal([
      ["read"],
      ["read", "operate"],
      ["read", "operate", "manage"],
    ]);
    expect(STORE_ROLES.map((role) => roleReaches(role, "member"))).to.deep.equal([false, true, true]);
  });
});
