import bs58check from "bs58check";
import { expect } from "chai";
import fc from "fast-check";
import { parseAccountKey, type AccountKeyInput } from "../../../domain/wallet/account-key";
import { descriptorChecksum } from "../../../domain/wallet/descriptor-checksum";
import { DomainError } from "../../../domain/errors";
import type { Network } from "../../../domain/network";
import { KNOWN_WORDS, knownNode, knownXpub } from "./known-keys";

/** From BIP 84. */
const ZPUB =
  "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
/** From BIP 49 (test network). */
const UPUB =
  "upub5EFU65HtV5TeiSHmZZm7FUffBGy8UKeqp7vw43jYbvZPpoVsgU93oac7Wk3u6moKegAEWtGNF8DehrnHtv21XXEMYRUocHqguyjknFHYfgY";
const XPUB_84 = knownXpub("m/84'/0'/0'", "mainnet");
const TPUB_84 = knownXpub("m/84'/1'/0'", "regtest");
const VERSION_BYTES = {
  ypub: "049d7cb2",
  zpub: "04b24746",
  upub: "044a5262",
  vpub: "045f1cf6",
  Ypub: "0295b43f",
  Zpub: "02aa7ed3",
  Upub: "024289ef",
  Vpub: "02575483",
  yprv: "049d7878",
  zprv: "04b2430c",
  vprv: "045f18bc",
  Zprv: "02aa7a99",
  dogecoin: "02facafd",
};

function withVersion(key: string, name: keyof typeof VERSION_BYTES): string {
  const bytes = Buffer.from(bs58check.decode(key));
  bytes.write(VERSION_BYTES[name], 0, "hex");
  return bs58check.encode(bytes);
}

function refusal(input: AccountKeyInput, network: Network = "mainnet"): DomainError {
  try {
    parseAccountKey(input, network);
  } catch (error) {
    if (error instanceof DomainError) {
      expect(error.code).to.equal("validation-failed");
      return error;
    }
    throw error;
  }
  throw new Error("it was accepted");
}

function pointerOf(error: DomainError): string | undefined {
  return error.errors[0]?.pointer;
}

describe("an account key given as xpub", () => {
  it("is native segwit as zpub, in the plain form of its network", () => {
    const node = knownNode("m/84'/0'/0'", "mainnet");
    expect(parseAccountKey({ xpub: ZPUB }, "mainnet")).to.deep.equal({
      scriptType: "wpkh",
      xpub: XPUB_84,
      accountKey: Buffer.concat([node.chainCode, node.publicKey]).toString("hex"),
      fingerprint: Buffer.from(node.fingerprint).toString("hex"),
    });
  });

  it("is nested segwit as ypub and upub", () => {
    expect(parseAccountKey({ xpub: UPUB }, "regtest")).to.include({
      scriptType: "sh-wpkh",
      xpub: knownXpub("m/49'/1'/0'", "regtest"),
    });
    expect(parseAccountKey({ xpub: withVersion(XPUB_84, "ypub") }, "mainnet").scriptType).to.equal("sh-wpkh");
  });

  it("is native segwit as plain xpub or tpub, unless scriptType says otherwise", () => {
    expect(parseAccountKey({ xpub: XPUB_84 }, "mainnet").scriptType).to.equal("wpkh");
    for (const scriptType of ["wpkh", "tr", "sh-wpkh", "pkh"] as const) {
      expect(parseAccountKey({ xpub: TPUB_84, scriptType }, "signet").scriptType).to.equal(scriptType);
    }
  });

  it("is the same account key in every form", () => {
    const forms = [
      parseAccountKey({ xpub: ZPUB }, "mainnet"),
      parseAccountKey({ xpub: `  ${XPUB_84}\n` }, "mainnet"),
      parseAccountKey({ descriptor: `wpkh([73c5da0a/84h/0h/0h]${XPUB_84}/0/*)` }, "mainnet"),
    ];
    expect(new Set(forms.map((form) => form.accountKey))).to.have.length(1);
  });

  it("is accepted on every test network, which share the tpub", () => {
    for (const network of ["testnet4", "signet", "regtest"] as const) {
      expect(parseAccountKey({ xpub: withVersion(TPUB_84, "vpub") }, network).xpub).to.equal(TPUB_84);
    }
  });

  it("accepts a scriptType that matches the key, and refuses one that contradicts it", () => {
    expect(parseAccountKey({ xpub: ZPUB, scriptType: "wpkh" }, "mainnet").scriptType).to.equal("wpkh");
    const error = refusal({ xpub: ZPUB, scriptType: "tr" });
    expect(pointerOf(error)).to.equal("/scriptType");
    expect(error.message).to.include("wpkh").and.include("tr");
  });

  it("refuses a key of another network and names both", () => {
    const error = refusal({ xpub: TPUB_84 }, "mainnet");
    expect(pointerOf(error)).to.equal("/xpub");
    expect(error.message).to.match(/tpub .* test network .* runs on mainnet/);
    expect(refusal({ xpub: ZPUB }, "regtest").message).to.match(/zpub .* mainnet, .* runs on regtest/);
  });

  it("refuses multi-signature keys by name", () => {
    expect(refusal({ xpub: withVersion(XPUB_84, "Ypub") }).message).to.match(/Ypub .* multi-signature/);
    expect(refusal({ xpub: withVersion(XPUB_84, "Zpub") }).message).to.match(/Zpub .* multi-signature/);
    expect(refusal({ xpub: withVersion(TPUB_84, "Upub") }, "regtest").message).to.match(/Upub/);
    expect(refusal({ xpub: withVersion(TPUB_84, "Vpub") }, "regtest").message).to.match(/Vpub/);
  });

  it("refuses version bytes of another coin", () => {
    expect(refusal({ xpub: withVersion(XPUB_84, "dogecoin") }).message).to.include("unknown prefix");
  });

  it("accepts Electrum's keys of depth 0 and 1, and refuses one below an account", () => {
    expect(
      parseAccountKey({ xpub: knownXpub("m", "mainnet"), scriptType: "pkh" }, "mainnet").scriptType,
    ).to.equal("pkh");
    expect(parseAccountKey({ xpub: knownXpub("m/0'", "mainnet") }, "mainnet").scriptType).to.equal("wpkh");
    expect(refusal({ xpub: knownXpub("m/84'/0'/0'/0", "mainnet") }).message).to.include("depth 4");
  });

  it("refuses typing errors, other text and a descriptor in the wrong field", () => {
    const typo = `${XPUB_84.slice(0, 40)}${XPUB_84[40] === "A" ? "B" : "A"}${XPUB_84.slice(41)}`;
    for (const xpub of [typo, "", "hello", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "x".repeat(5000)]) {
      expect(pointerOf(refusal({ xpub }))).to.equal("/xpub");
    }
    expect(refusal({ xpub: `wpkh(${XPUB_84})` }).message).to.include("descriptor");
  });

  it("refuses a public key that is no point of the curve", () => {
    const bytes = Buffer.from(bs58check.decode(XPUB_84));
    bytes.fill(0xff, 46);
    expect(refusal({ xpub: bs58check.encode(bytes) }).message).to.include("no valid public key");
  });
});

describe("a private key", () => {
  const xprv = knownNode("m/84'/0'/0'", "mainnet").toBase58();
  const tprv = knownNode("m/84'/1'/0'", "regtest").toBase58();
  const wif = knownNode("m/84'/0'/0'/0/0", "mainnet").toWIF();
  const secrets: Record<string, string> = {
    xprv,
    tprv,
    "xprv with a typing error": `${xprv.slice(0, -1)}${xprv.endsWith("A") ? "B" : "A"}`,
    yprv: withVersion(xprv, "yprv"),
    zprv: withVersion(xprv, "zprv"),
    vprv: withVersion(tprv, "vprv"),
    "multi-signature Zprv": withVersion(xprv, "Zprv"),
    "private bytes behind public version bytes": withVersion(xprv, "zpub"),
    "compressed WIF": wif,
    "uncompressed WIF": "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss",
    "WIF of a test network": knownNode("m/0", "regtest").toWIF(),
    "BIP 38": "6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg",
    "raw hex": "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35",
    "seed words": KNOWN_WORDS,
    "24 seed words": `${KNOWN_WORDS} ${KNOWN_WORDS}`,
    "xprv in a descriptor": `wpkh([73c5da0a/84h/0h/0h]${xprv}/0/*)`,
    "WIF in a descriptor": `wpkh(${wif})`,
  };
  for (const [name, secret] of Object.entries(secrets)) {
    it(`is refused and not echoed: ${name}`, () => {
      for (const input of [{ xpub: secret }, { descriptor: secret }]) {
        if (name.startsWith("private bytes") && "descriptor" in input) continue;
        for (const network of ["mainnet", "regtest"] as const) {
          const error = refusal(input, network);
          expect(error.message).to.include("private key or a seed");
          const told = JSON.stringify([error.message, error.errors]);
          for (let at = 0; at + 12 <= secret.length; at++) {
            expect(told).not.to.include(secret.slice(at, at + 12));
          }
        }
      }
    });
  }

  it("is not suspected in a public key that contains the letters of one by chance", () => {
    const xpub =
      "tpubDC5FSnBiZDMmhSEzxprvZEd6MArXAeXZSUbHs5x5C11t8pAuicoSGTcQNDvM24metNmjeBusVBP2bVE527Ae4ykHeqktTHkh7BNt1d5Xbgc";
    expect(parseAccountKey({ xpub }, "regtest").xpub).to.equal(xpub);
    expect(parseAccountKey({ descriptor: `wpkh([73c5da0a/84h/1h/0h]${xpub}/0/*)` }, "regtest").xpub).to.equal(
      xpub,
    );
  });
});

describe("an account key given as descriptor", () => {
  const key = `[73c5da0a/84'/0'/0']${XPUB_84}`;

  it("may be wpkh, tr, sh(wpkh) or pkh, with or without path", () => {
    const cases = { wpkh: "wpkh(KEY)", tr: "tr(KEY)", "sh-wpkh": "sh(wpkh(KEY))", pkh: "pkh(KEY)" };
    for (const [scriptType, form] of Object.entries(cases)) {
      for (const path of ["", "/0/*", "/<0;1>/*"]) {
        for (const origin of ["", "[73c5da0a/84'/0'/0']", "[73C5DA0A/84h/0h/0h]", "[73c5da0a]"]) {
          const descriptor = form.replace("KEY", `${origin}${XPUB_84}${path}`);
          expect(parseAccountKey({ descriptor }, "mainnet")).to.include({ scriptType, xpub: XPUB_84 });
        }
      }
    }
  });

  it("may carry its checksum, which must fit", () => {
    const descriptor = `wpkh(${key}/0/*)`;
    const checksum = descriptorChecksum(descriptor);
    expect(parseAccountKey({ descriptor: `${descriptor}#${checksum}` }, "mainnet").scriptType).to.equal(
      "wpkh",
    );
    for (const wrong of ["#", "#qqqqqqqq", `#${checksum?.slice(1)}`, `#${checksum}x`]) {
      const error = refusal({ descriptor: `${descriptor}${wrong}` });
      expect(pointerOf(error)).to.equal("/descriptor");
      expect(error.message).to.include("checksum");
    }
  });

  it("has the checksums that BIP 380 and Bitcoin Core give", () => {
    expect(descriptorChecksum("raw(deadbeef)")).to.equal("89f8spxm");
    expect(
      descriptorChecksum("pkh(02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)"),
    ).to.equal("8fhd9pwu");
    expect(
      descriptorChecksum("wpkh(02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9)"),
    ).to.equal("8zl0zxma");
    expect(descriptorChecksum("raw(Ü)")).to.equal(null);
  });

  it("may spell out its path at any depth", () => {
    const chain = knownXpub("m/84'/0'/0'/7", "mainnet");
    expect(parseAccountKey({ descriptor: `wpkh(${chain}/0/*)` }, "mainnet").xpub).to.equal(chain);
    expect(refusal({ descriptor: `wpkh(${chain})` }).message).to.include("depth 4");
  });

  it("refuses other paths", () => {
    expect(refusal({ descriptor: `wpkh(${key}/1/*)` }).message).to.include("change addresses");
    expect(refusal({ descriptor: `wpkh(${key}/0/*h)` }).message).to.include("hardened");
    for (const path of ["/*", "/0", "/0/0", "/0/*/0", "/<1;0>/*", "/", "//0/*"]) {
      expect(pointerOf(refusal({ descriptor: `wpkh(${key}${path})` }))).to.equal("/descriptor");
    }
  });

  it("refuses other descriptors", () => {
    for (const descriptor of [
      "",
      XPUB_84,
      `wsh(pk(${key}))`,
      `wsh(sortedmulti(1,${key}/0/*,${key}/0/*))`,
      `sh(${key})`,
      `combo(${key})`,
      `tr(${key},pk(${key}))`,
      `wpkh(${key}`,
      `wpkh(wpkh(${key}))`,
      `sh(wpkh(${key})`,
      "addr(bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu)",
      `wpkh([zz]${XPUB_84})`,
      `wpkh([73c5da0a/84x]${XPUB_84})`,
      "wpkh()",
    ]) {
      expect(pointerOf(refusal({ descriptor })), descriptor).to.equal("/descriptor");
    }
    expect(
      refusal({ descriptor: "wpkh(02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9)" })
        .message,
    ).to.include("one address");
  });

  it("refuses a key whose own form contradicts it", () => {
    expect(parseAccountKey({ descriptor: `wpkh(${ZPUB}/0/*)` }, "mainnet").xpub).to.equal(XPUB_84);
    expect(refusal({ descriptor: `tr(${ZPUB}/0/*)` }).message)
      .to.include("wpkh")
      .and.include("tr");
  });

  it("refuses a key of another network", () => {
    expect(refusal({ descriptor: `wpkh(${TPUB_84}/0/*)` }).message).to.include("mainnet");
  });
});

describe("any text given as a key", () => {
  it("is read or refused, with no other error", () => {
    const pieces = fc.constantFrom(
      "wpkh(",
      "tr(",
      ")",
      "[73c5da0a/0h]",
      "/0/*",
      "#",
      XPUB_84,
      ZPUB,
      TPUB_84,
      "<0;1>",
    );
    const text = fc.array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 8 });
    fc.assert(
      fc.property(text, (parts) => {
        for (const input of [{ xpub: parts.join("") }, { descriptor: parts.join("") }]) {
          try {
            expect(parseAccountKey(input, "mainnet").xpub).to.equal(XPUB_84);
          } catch (error) {
            expect(error).to.be.instanceOf(DomainError);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
