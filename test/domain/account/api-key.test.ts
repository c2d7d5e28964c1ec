import { createHash } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { apiKeyHashesEqual, apiKeyText, parseApiKey } from "../../../domain/account/api-key";

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("API keys", () => {
  it("begin with sk_live_ on mainnet and with sk_test_ everywhere else, and are 57 characters", () => {
    const random = Buffer.alloc(32, 7);
    expect(apiKeyText("mainnet", random)).to.match(/^sk_live_[0-9A-Za-z]{49}$/);
    for (const network of ["testnet4", "signet", "regtest"] as const) {
      expect(apiKeyText(network, random)).to.match(/^sk_test_[0-9A-Za-z]{49}$/);
    }
  });

  it("keep all 256 bits: the body is the number in base 62", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const body = apiKeyText("mainnet", random).slice(8, 51);
        const value = [...body].reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n);
        expect(value).to.equal(BigInt(`0x${Buffer.from(random).toString("hex")}`));
      }),
    );
    expect(apiKeyText("mainnet", new Uint8Array(32)).slice(8, 51)).to.equal("0".repeat(43));
    expect(apiKeyText("mainnet", new Uint8Array(32).fill(255))).to.have.length(57);
  });

  it("parse to the SHA-256 of the whole text, that of a plugin's key, and the first 8 characters after the head", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const text = apiKeyText("regtest", random);
        expect(parseApiKey(text)).to.deep.equal({
          hash: createHash("sha256").update(text).digest(),
          lesserHash: createHash("sha256").update(`plugin:${text}`).digest(),
          prefix: text.slice(8, 16),
        });
      }),
    );
  });

  it("are not recognised with any single character changed", () => {
    const text = apiKeyText("mainnet", Buffer.alloc(32, 99));
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === "x" ? "y" : "x") + text.slice(at + 1);
      expect(parseApiKey(changed), `at ${at}`).to.equal(null);
    }
  });

  it("of one network are not recognised with the head of another", () => {
    const text = apiKeyText("mainnet", Buffer.alloc(32, 99));
    expect(parseApiKey(text.replace("sk_live_", "sk_test_"))).to.equal(null);
  });

  it("are not recognised when cut, lengthened, padded or empty", () => {
    const text = apiKeyText("mainnet", Buffer.alloc(32, 99));
    for (const other of [text.slice(0, -1), `${text}0`, ` ${text}`, `${text}\n`, "", "sk_live_"]) {
      expect(parseApiKey(other)).to.equal(null);
    }
  });

  it("refuse too few or too many bytes", () => {
    expect(() => apiKeyText("mainnet", new Uint8Array(31))).to.throw(RangeError);
    expect(() => apiKeyText("mainnet", new Uint8Array(33))).to.throw(RangeError);
  });

  it("compare by hash, also when the lengths differ", () => {
    const hash = Buffer.alloc(32, 1);
    expect(apiKeyHashesEqual(hash, Buffer.alloc(32, 1))).to.equal(true);
    expect(apiKeyHashesEqual(hash, Buffer.alloc(32, 2))).to.equal(false);
    expect(apiKeyHashesEqual(hash, Buffer.alloc(31, 1))).to.equal(false);
  });
});
