import { createHash, createHmac } from "node:crypto";
import { bech32, bech32m } from "bech32";
import bs58check from "bs58check";
import { expect } from "chai";
import fc from "fast-check";
import * as secp256k1 from "tiny-secp256k1";
import { parseAccountKey } from "../../../domain/wallet/account-key";
import { addressOfScript, scriptOfAddress } from "../../../domain/wallet/address";
import { bip32 } from "../../../domain/wallet/curve";
import { addressesOf } from "../../../domain/wallet/derive-address";
import { deriveAddress } from "../../support/derive-address";
import { dustLimitSats, walletDustLimitSats } from "../../../domain/chain/dust";
import { networkParams, type NetworkParams } from "../../../domain/wallet/network-params";
import { SCRIPT_TYPES, type ScriptType } from "../../../domain/wallet/script-type";
import { NETWORKS, type Network } from "../../../domain/network";
import { knownXpub } from "./known-keys";

/**
 * The address at an index by other means than the code's: the formulas of BIP 32 (CKDpub), 141, 341, 173 and 350, over
 * the curve alone.
 */
function addressByFormula(
  { publicKey, chainCode }: { publicKey: Uint8Array; chainCode: Uint8Array },
  index: number,
  scriptType: ScriptType,
  params: NetworkParams,
): { address: string; scriptPubKey: Buffer } {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  const tweak = createHmac("sha512", chainCode).update(publicKey).update(number).digest().subarray(0, 32);
  const key = secp256k1.pointAddScalar(publicKey, tweak, true) ?? new Uint8Array();
  const hash160 = (data: Uint8Array): Buffer =>
    createHash("ripemd160").update(createHash("sha256").update(data).digest()).digest();
  const script = (before: string, data: Uint8Array, after = ""): Buffer =>
    Buffer.concat([Buffer.from(before, "hex"), data, Buffer.from(after, "hex")]);
  const base58 = (version: number, hash: Uint8Array): string => bs58check.encode(Buffer.of(version, ...hash));
  const segwit = (codec: typeof bech32, version: number, program: Uint8Array): string =>
    codec.encode(params.bech32, [version, ...codec.toWords(program)]);
  const program = hash160(key);
  switch (scriptType) {
    case "wpkh":
      return { address: segwit(bech32, 0, program), scriptPubKey: script("0014", program) };
    case "tr": {
      const x = key.subarray(1);
      const tag = createHash("sha256").update("TapTweak").digest();
      const tapTweak = createHash("sha256").update(tag).update(tag).update(x).digest();
      const { xOnlyPubkey = x } = secp256k1.xOnlyPointAddTweak(x, tapTweak) ?? {};
      return { address: segwit(bech32m, 1, xOnlyPubkey), scriptPubKey: script("5120", xOnlyPubkey) };
    }
    case "sh-wpkh": {
      const hash = hash160(script("0014", program));
      return { address: base58(params.scriptHash, hash), scriptPubKey: script("a914", hash, "87") };
    }
    case "pkh":
      return { address: base58(params.pubKeyHash, program), scriptPubKey: script("76a914", program, "88ac") };
  }
}

describe("deriving an address", () => {
  it("gives BIP 84's", () => {
    const account = parseAccountKey(
      {
        xpub: "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",
      },
      "mainnet",
    );
    expect(deriveAddress(account, 0, "mainnet")).to.deep.equal({
      address: "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
      scriptPubKey: Buffer.from("0014c0cebcd6c3d3ca8c75dc5ec62ebe55330ef910e2", "hex"),
      path: "0/0",
    });
    expect(deriveAddress(account, 1, "mainnet").address).to.equal(
      "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g",
    );
  });

  it("gives BIP 86's", () => {
    const account = parseAccountKey(
      {
        xpub: "xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ",
        scriptType: "tr",
      },
      "mainnet",
    );
    expect(deriveAddress(account, 0, "mainnet")).to.deep.equal({
      address: "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
      scriptPubKey: Buffer.from(
        "5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c",
        "hex",
      ),
      path: "0/0",
    });
    expect(deriveAddress(account, 1, "mainnet").address).to.equal(
      "bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh",
    );
  });

  it("gives BIP 49's", () => {
    const account = parseAccountKey(
      {
        xpub: "upub5EFU65HtV5TeiSHmZZm7FUffBGy8UKeqp7vw43jYbvZPpoVsgU93oac7Wk3u6moKegAEWtGNF8DehrnHtv21XXEMYRUocHqguyjknFHYfgY",
      },
      "testnet4",
    );
    expect(deriveAddress(account, 0, "testnet4").address).to.equal("2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2");
  });

  it("gives BIP 44's", () => {
    const account = { xpub: knownXpub("m/44'/0'/0'", "mainnet"), scriptType: "pkh" } as const;
    expect(deriveAddress(account, 0, "mainnet").address).to.equal("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA");
  });

  it("gives a test network's own prefixes", () => {
    const account = { xpub: knownXpub("m/84'/1'/0'", "regtest"), scriptType: "wpkh" } as const;
    expect(deriveAddress(account, 0, "regtest").address).to.match(/^bcrt1q/);
    expect(deriveAddress(account, 0, "signet").address).to.match(/^tb1q/);
  });

  it("gives the result of the BIPs' formulas, for any key, index, script type and network", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.array(fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 2 ** 31 - 1 })), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.constantFrom(...SCRIPT_TYPES),
        fc.constantFrom(...NETWORKS),
        (seed, indexes, scriptType, network) => {
          const params = networkParams(network);
          const account = bip32.fromSeed(seed, params).neutered();
          const addressAt = addressesOf({ xpub: account.toBase58(), scriptType }, network);
          for (const index of indexes)
            expect(addressAt(index)).to.deep.equal({
              ...addressByFormula(account.derive(0), index, scriptType, params),
              path: `0/${index}`,
            });
        },
      ),
    );
  });

  it("refuses an index that is no unhardened child", () => {
    const account = { xpub: knownXpub("m/84'/1'/0'", "regtest"), scriptType: "wpkh" } as const;
    for (const index of [-1, 0.5, NaN, 2 ** 31]) {
      expect(() => deriveAddress(account, index, "regtest")).to.throw(RangeError);
    }
    expect(deriveAddress(account, 2 ** 31 - 1, "regtest").path).to.equal("0/2147483647");
  });
});

describe("an address", () => {
  const account = (network: Network) => knownXpub("m/0'/0'/0'", network);

  it("converts to its script and back, for every script type and network", () => {
    for (const network of NETWORKS) {
      for (const scriptType of SCRIPT_TYPES) {
        const { address, scriptPubKey } = deriveAddress({ xpub: account(network), scriptType }, 5, network);
        expect(scriptOfAddress(address, network)).to.deep.equal(scriptPubKey);
        expect(addressOfScript(scriptPubKey, network)).to.equal(address);
      }
    }
  });

  it("of another network is refused", () => {
    expect(scriptOfAddress("bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "regtest")).to.equal(null);
    expect(scriptOfAddress("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "regtest")).to.equal(null);
    expect(scriptOfAddress("2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2", "mainnet")).to.equal(null);
  });

  it("with a wrong checksum, and any other text, is refused", () => {
    for (const text of [
      "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv",
      "",
      "hello",
      "1111111111111111111114oLvT",
    ]) {
      expect(scriptOfAddress(text, "mainnet")).to.equal(null);
    }
  });

  it("of a future witness version is refused (BIP 350's version 16 and 2 vectors)", () => {
    for (const text of ["BC1SW50QGDZ25J", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs"]) {
      expect(scriptOfAddress(text, "mainnet")).to.equal(null);
    }
    expect(addressOfScript(Buffer.from("6002751e", "hex"), "mainnet")).to.equal(null);
  });

  it("does not exist for OP_RETURN, an empty script and bare public keys", () => {
    for (const hex of ["6a0100", "", `21${"02".repeat(33)}ac`]) {
      expect(addressOfScript(Buffer.from(hex, "hex"), "mainnet")).to.equal(null);
    }
  });
});

describe("the dust limit", () => {
  it("is Bitcoin Core's default", () => {
    const limits = Object.fromEntries(
      SCRIPT_TYPES.map((scriptType) => [
        scriptType,
        dustLimitSats(
          deriveAddress({ xpub: knownXpub("m/0'", "mainnet"), scriptType }, 0, "mainnet").scriptPubKey,
        ),
      ]),
    );
    expect(limits).to.deep.equal({ wpkh: 294n, tr: 330n, "sh-wpkh": 540n, pkh: 546n });
    for (const scriptType of SCRIPT_TYPES)
      expect(walletDustLimitSats(scriptType), scriptType).to.equal(limits[scriptType]);
  });

  it("is 330 for p2wsh, 240 for pay-to-anchor and 0 for OP_RETURN and oversized scripts", () => {
    expect(dustLimitSats(Buffer.from(`0020${"11".repeat(32)}`, "hex"))).to.equal(330n);
    expect(dustLimitSats(Buffer.from("51024e73", "hex"))).to.equal(240n);
    expect(dustLimitSats(Buffer.from("6a0548656c6c6f", "hex"))).to.equal(0n);
    expect(dustLimitSats(Buffer.alloc(10_001, 1))).to.equal(0n);
    expect(dustLimitSats(Buffer.alloc(300, 1))).to.equal(3n * (8n + 3n + 300n + 148n));
  });
});
