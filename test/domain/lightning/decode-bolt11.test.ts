import { randomBytes } from "node:crypto";
import * as secp256k1 from "tiny-secp256k1";
import { bech32 } from "bech32";
import { expect } from "chai";
import fc from "fast-check";
import { Bolt11Error, decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { encodeBolt11, type Bolt11Fields } from "../../../scripts/devnet/lightning/encode-bolt11";
import { INVALID_VECTORS, VALID_VECTORS, VECTOR_PRIVATE_KEY } from "./bolt11-vectors";

const KEY = Buffer.from(VECTOR_PRIVATE_KEY, "hex");
const PAYEE = "03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad";
const FIELDS: Bolt11Fields = {
  prefix: "lnbcrt",
  amountMsat: 1_000n,
  timestampSeconds: 1_496_314_658,
  expirySeconds: 60,
  paymentHash: Buffer.alloc(32, 1),
  paymentSecret: Buffer.alloc(32, 2),
  description: "",
  minFinalCltvExpiryDelta: 80,
  features: [8, 14],
};

/** The same text with other words, under a checksum that fits them. */
function altered(text: string, alter: (words: number[]) => number[]): string {
  const { prefix, words } = bech32.decode(text, 10_000);
  return bech32.encode(prefix, alter(words), 10_000);
}

describe("decodeBolt11", () => {
  for (const { title, text, decoded } of VALID_VECTORS)
    it(`reads BOLT 11's example: ${title}`, () => {
      expect(decodeBolt11(text)).to.deep.equal(decoded);
    });

  for (const { title, text, refusal } of INVALID_VECTORS)
    it(`refuses BOLT 11's invalid example: ${title}`, () => {
      expect(() => decodeBolt11(text)).to.throw(Bolt11Error, refusal);
    });

  it("reads what any node writes", () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    const hop = fc.record({
      nodeKey: bytes(33).map((key) => Buffer.from(key).toString("hex")),
      shortChannelId: bytes(8).map((id) => Buffer.from(id).toString("hex")),
      feeBaseMsat: fc.nat(0xffffffff),
      feeProportionalMillionths: fc.nat(0xffffffff),
      cltvExpiryDelta: fc.nat(0xffff),
    });
    const networks = { lnbc: "mainnet", lntb: "testnet4", lntbs: "signet", lnbcrt: "regtest" } as const;
    fc.assert(
      fc.property(
        fc.record({
          prefix: fc.constantFrom("lnbc", "lntb", "lntbs", "lnbcrt"),
          amountMsat: fc.option(fc.bigInt(1n, 21_000_000n * 100_000_000_000n)),
          timestampSeconds: fc.nat(2 ** 35 - 1),
          expirySeconds: fc.nat(),
          paymentHash: bytes(32).map(Buffer.from),
          paymentSecret: bytes(32).map(Buffer.from),
          description: fc.oneof(
            fc.string({ unit: "grapheme", maxLength: 100 }),
            bytes(32).map((hash) => ({ hash: Buffer.from(hash) })),
          ),
          minFinalCltvExpiryDelta: fc.nat(2_016),
          features: fc.constantFrom([8, 14], [8, 14, 17], [9, 15, 25, 101], [8, 14, 16, 48]),
          routeHints: fc.array(fc.array(hop, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
          nameThePayee: fc.boolean(),
        }),
        bytes(32).filter((key) => secp256k1.isPrivate(key)),
        (fields, key) => {
          const text = encodeBolt11(fields, Buffer.from(key));
          const { description } = fields;
          const payee = Buffer.from(secp256k1.pointFromScalar(key, true) ?? []).toString("hex");
          expect(decodeBolt11(text)).to.deep.equal({
            network: networks[fields.prefix],
            amountMsat: fields.amountMsat,
            timestampSeconds: fields.timestampSeconds,
            expirySeconds: fields.expirySeconds,
            paymentHash: fields.paymentHash.toString("hex"),
            paymentSecret: fields.paymentSecret.toString("hex"),
            description: typeof description === "string" ? description : null,
            descriptionHash: typeof description === "string" ? null : description.hash.toString("hex"),
            payeeKey: payee,
            minFinalCltvExpiryDelta: fields.minFinalCltvExpiryDelta,
            features: fields.features,
            routeHints: fields.routeHints,
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  it("refuses any other text, always with its own error", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.nat(31), { maxLength: 400 }), (text, words) => {
        expect(() => decodeBolt11(text)).to.throw(Bolt11Error);
        expect(() => decodeBolt11(bech32.encode("lnbc10n", words, 1_000))).to.throw(Bolt11Error);
      }),
    );
  });

  it("never accepts a text with a changed character as one of the same payee", () => {
    const payeeOf = (text: string): string | null => {
      try {
        return decodeBolt11(text).payeeKey;
      } catch (error) {
        if (error instanceof Bolt11Error) return null;
        throw error;
      }
    };
    for (const nameThePayee of [true, false]) {
      const text = encodeBolt11({ ...FIELDS, nameThePayee }, KEY);
      const { length } = bech32.decode(text, 10_000).words;
      // The last two words end with the recovery id, which says nothing where the payee is named.
      for (let at = 0; at < length - (nameThePayee ? 2 : 0); at += 1) {
        const changed = altered(text, (all) => all.map((word, i) => (i === at ? word ^ 1 : word)));
        expect(payeeOf(changed), `word ${at}`).to.not.equal(PAYEE);
      }
    }
  });

  it("refuses a signature of another payee", () => {
    const named = encodeBolt11({ ...FIELDS, nameThePayee: true }, KEY);
    const bySelf = decodeBolt11(named);
    expect(bySelf.payeeKey).to.equal(PAYEE);
    const other = bech32.decode(encodeBolt11({ ...FIELDS, nameThePayee: true }, randomBytes(32)), 10_000);
    const signature = other.words.slice(-104);
    const forged = altered(named, (words) => [...words.slice(0, -104), ...signature]);
    expect(() => decodeBolt11(forged)).to.throw(Bolt11Error, "signature");
  });

  it("refuses a recovery id above 3", () => {
    const text = altered(encodeBolt11(FIELDS, KEY), (words) => [...words.slice(0, -1), 4]);
    expect(() => decodeBolt11(text)).to.throw(Bolt11Error, "The signature is wrong");
  });

  it("refuses a key that is no point of the curve", () => {
    const text = encodeBolt11({ ...FIELDS, nameThePayee: true }, KEY);
    const broken = altered(text, (words) => {
      const at = words.length - 104 - 53;
      return words.map((word, i) => (i >= at && i < at + 53 ? 31 : word));
    });
    expect(() => decodeBolt11(broken)).to.throw(Bolt11Error, "is invalid");
  });

  it("refuses a feature without those it depends on", () => {
    const refused = (features: number[]) => () => decodeBolt11(encodeBolt11({ ...FIELDS, features }, KEY));
    expect(refused([14])).to.throw(Bolt11Error, "payment_secret needs var_onion_optin");
    expect(refused([8, 17])).to.throw(Bolt11Error, "basic_mpp needs payment_secret");
    expect(refused([9, 15, 17])).to.not.throw();
  });

  it("refuses a field that is cut off", () => {
    const text = encodeBolt11(FIELDS, KEY);
    const cut = altered(text, (words) => [...words.slice(0, -108), ...words.slice(-104)]);
    expect(() => decodeBolt11(cut)).to.throw(Bolt11Error, "truncated");
  });

  it("refuses an amount of 0, with a leading 0, or with a sign", () => {
    const { words } = bech32.decode(encodeBolt11({ ...FIELDS, amountMsat: null }, KEY), 10_000);
    for (const amount of ["0", "01", "-1", "0u", "m"])
      expect(() => decodeBolt11(bech32.encode(`lnbcrt${amount}`, words, 10_000)), amount).to.throw(
        Bolt11Error,
        "does not begin with a known network and amount",
      );
  });

  it("refuses a time that does not fit a number", () => {
    expect(() => decodeBolt11(encodeBolt11({ ...FIELDS, expirySeconds: 2 ** 60 }, KEY))).to.throw(
      Bolt11Error,
      "too large",
    );
  });

  it("refuses a text above the greatest length", () => {
    expect(() => decodeBolt11(encodeBolt11(FIELDS, KEY) + "q".repeat(10_000))).to.throw(Bolt11Error);
  });
});
