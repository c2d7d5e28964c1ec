import { expect } from "chai";
import fc from "fast-check";
import { makeSecretBox, newStoreId, randomId } from "../../adapters/crypto";

const OLD = "the secret of last year, 32 characters";
const NEW = "the secret of this year, 32 characters";
const PLACE = { table: "webhooks", column: "secret_encrypted", row: "wh_1" };

describe("secrets at rest", () => {
  it("read back unchanged, for any text", () => {
    const box = makeSecretBox({ appSecret: NEW });
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        (text) => box.decrypt(box.encrypt(text, PLACE), PLACE) === text,
      ),
    );
  });

  it("differ at every encryption and do not contain the text", () => {
    const box = makeSecretBox({ appSecret: NEW });
    const encrypted = box.encrypt("whsec_plain", PLACE);
    expect(encrypted.equals(box.encrypt("whsec_plain", PLACE))).to.equal(false);
    expect(encrypted.includes("whsec")).to.equal(false);
  });

  it("are refused with any one byte altered, or truncated", () => {
    const box = makeSecretBox({ appSecret: NEW });
    const encrypted = box.encrypt("whsec_plain", PLACE);
    for (let at = 0; at < encrypted.length; at += 1) {
      const altered = Buffer.from(encrypted);
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
      expect(() => box.decrypt(altered, PLACE), `byte ${at}`).to.throw();
    }
    for (const length of [0, 1, 32, encrypted.length - 1]) {
      expect(() => box.decrypt(encrypted.subarray(0, length), PLACE), `${length} bytes`).to.throw();
    }
  });

  it("of another APP_SECRET are refused with a message that names the setting and no secret", () => {
    const encrypted = makeSecretBox({ appSecret: OLD }).encrypt("whsec_plain", PLACE);
    expect(() => makeSecretBox({ appSecret: NEW }).decrypt(encrypted, PLACE))
      .to.throw("APP_SECRET_OLD")
      .with.property("message")
      .that.does.not.contain(OLD);
  });

  it("of APP_SECRET_OLD are read during a rotation and marked for encryption", () => {
    const before = makeSecretBox({ appSecret: OLD }).encrypt("whsec_plain", PLACE);
    const rotating = makeSecretBox({ appSecret: NEW, appSecretOld: OLD });
    expect(rotating.decrypt(before, PLACE)).to.equal("whsec_plain");
    expect(rotating.needsReencryption(before)).to.equal(true);

    const after = rotating.encrypt(rotating.decrypt(before, PLACE), PLACE);
    expect(rotating.needsReencryption(after)).to.equal(false);
    expect(makeSecretBox({ appSecret: NEW }).decrypt(after, PLACE)).to.equal("whsec_plain");
    expect(() => makeSecretBox({ appSecret: OLD }).decrypt(after, PLACE)).to.throw("APP_SECRET");
  });

  it("have a check value that recognises the present and the old secret and no other", () => {
    const checkValue = makeSecretBox({ appSecret: OLD }).makeCheckValue();
    expect(makeSecretBox({ appSecret: OLD }).checkValueMatches(checkValue)).to.equal(true);
    expect(makeSecretBox({ appSecret: NEW, appSecretOld: OLD }).checkValueMatches(checkValue)).to.equal(true);
    expect(makeSecretBox({ appSecret: NEW }).checkValueMatches(checkValue)).to.equal(false);
    expect(makeSecretBox({ appSecret: OLD }).checkValueMatches(Buffer.from("rubbish"))).to.equal(false);
  });

  it("do not pass another secret's ciphertext off as the check value", () => {
    const box = makeSecretBox({ appSecret: NEW });
    expect(box.checkValueMatches(box.encrypt("whsec_plain", PLACE))).to.equal(false);
  });

  it("can be decrypted only in the table, column and row for which they were encrypted", () => {
    const box = makeSecretBox({ appSecret: NEW });
    const encrypted = box.encrypt("whsec_plain", PLACE);
    for (const moved of [{ row: "wh_2" }, { column: "previous_secret_encrypted" }, { table: "users" }])
      expect(() => box.decrypt(encrypted, { ...PLACE, ...moved }), JSON.stringify(moved)).to.throw();
    expect(box.decrypt(encrypted, PLACE)).to.equal("whsec_plain");
  });
});

describe("message authentication codes", () => {
  const FIELDS = ["address", "inv_1", "bc1q"];

  it("match only the fields for which they were made, as separated", () => {
    const box = makeSecretBox({ appSecret: NEW });
    const mac = box.mac(FIELDS);
    expect(box.macMatches(mac, FIELDS)).to.equal(true);
    for (const other of [
      ["address", "inv_1bc1q"],
      ["address", "inv_", "1bc1q"],
      [...FIELDS, ""],
      FIELDS.slice(1),
    ])
      expect(box.macMatches(mac, other), other.join()).to.equal(false);
    for (const none of [null, Buffer.alloc(0), Buffer.alloc(mac.length), mac.subarray(0, 4)])
      expect(box.macMatches(none, FIELDS)).to.equal(false);
  });

  it("of APP_SECRET_OLD match while it is given, and are marked as old", () => {
    const before = makeSecretBox({ appSecret: OLD }).mac(FIELDS);
    const rotating = makeSecretBox({ appSecret: NEW, appSecretOld: OLD });
    expect(rotating.macMatches(before, FIELDS)).to.equal(true);
    expect(rotating.formerKeyId && before.subarray(0, 4).equals(rotating.formerKeyId)).to.equal(true);
    expect(makeSecretBox({ appSecret: NEW }).macMatches(before, FIELDS)).to.equal(false);
    expect(makeSecretBox({ appSecret: NEW }).formerKeyId).to.equal(null);
  });
});

describe("random ids", () => {
  it("are the prefix and 25 base58 characters; a store's are 44", () => {
    expect(randomId("inv")).to.match(/^inv_[1-9A-HJ-NP-Za-km-z]{25}$/);
    expect(newStoreId()).to.match(/^[1-9A-HJ-NP-Za-km-z]{44}$/);
    expect(randomId("inv")).not.to.equal(randomId("inv"));
  });

  it("use all 58 characters evenly", () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 10_000; i += 1) {
      for (const char of newStoreId()) counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    const expected = (10_000 * 44) / 58;
    expect(counts.size).to.equal(58);
    // Six standard deviations: a byte modulo 58 would put its first 24 characters 11 of them off.
    for (const [char, count] of counts) {
      expect(Math.abs(count - expected), char).to.be.below(6 * Math.sqrt(expected));
    }
  });
});
