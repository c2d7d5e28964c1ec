import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { DomainError } from "../../../domain/errors";
import { parseAccountKey, type AccountKey } from "../../../domain/wallet/account-key";
import { addressesOf } from "../../../domain/wallet/derive-address";
import type { ScriptType } from "../../../domain/wallet/script-type";
import { knownNode, knownXpub, KNOWN_WORDS } from "./known-keys";

/** What wallets show and export, as people paste it. The keys are the project's own and were never funded. */
interface Pasted {
  what: string;
  paste: string;
  addresses?: string[];
  /** What the refusal says. */
  refusal?: string;
}
const PASTED = JSON.parse(
  readFileSync(path.join(__dirname, "../../fixtures/wallets.json"), "utf8"),
) as Pasted[];

/** In the field that the dashboard uses. */
function read(paste: string, scriptType?: ScriptType): AccountKey {
  const isDescriptor = /^[\s"']*[a-z]+\(/.test(paste);
  return parseAccountKey(isDescriptor ? { descriptor: paste } : { xpub: paste, scriptType }, "mainnet");
}

function refusalOf(paste: string, scriptType?: ScriptType): DomainError {
  try {
    read(paste, scriptType);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

const firstAddresses = (key: AccountKey, count: number): string[] => {
  const at = addressesOf(key, "mainnet");
  return Array.from({ length: count }, (_, index) => at(index).address);
};

describe("what people paste as their wallet", () => {
  for (const { what, paste, addresses, refusal } of PASTED)
    it(`is ${addresses === undefined ? "refused by its reason" : "read"}: ${what}`, () => {
      if (addresses === undefined) expect(refusalOf(paste).message.toLowerCase()).to.include(refusal);
      else expect(firstAddresses(read(paste), addresses.length)).to.deep.equal(addresses);
    });

  const [key, nested, legacy] = ["m/84'/0'/0'", "m/49'/0'/0'", "m/44'/0'/0'"].map((at) =>
    knownXpub(at, "mainnet"),
  ) as [string, string, string];

  it("keeps the origin where it is given", () => {
    expect(read(`[73C5DA0A/84'/0'/0']${key}`).origin).to.equal("73c5da0a/84h/0h/0h");
    expect(read(key)).not.to.have.property("origin");
  });

  it("is read within a label, or between further lines", () => {
    for (const paste of [
      `My shop (segwit): ${key}`,
      `${key}\nMy shop`,
      `Receive:\nwpkh(${key}/0/*)\nChange:\nwpkh(${key}/1/*)\n`,
      `BSMS 1.0\nwpkh([73c5da0a/84h/0h/0h]${key}/**)\n/0/*,/1/*\nbc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu`,
      `\u200e${key}\ufeff`,
    ])
      expect(read(paste), paste).to.include({ scriptType: "wpkh", xpub: key });
  });

  it("says what BTCPay Server's suffix means", () => {
    expect(read(`${nested}-[p2sh]`).scriptType).to.equal("sh-wpkh");
    expect(read(`${legacy}-[legacy]`).scriptType).to.equal("pkh");
    expect(read(`${key}-[taproot]`).scriptType).to.equal("tr");
  });

  it("is read by the path or the name of the scripts that stands beside the key, wherever the file has it", () => {
    const sparrow = (scriptType: string, derivation: string, extendedPublicKey: string) =>
      JSON.stringify({
        policyType: "SINGLE",
        scriptType,
        defaultPolicy: { name: "Default", miniscript: { script: "wpkh(shop)" } },
        keystores: [{ label: "shop", keyDerivation: { derivation }, extendedPublicKey }],
      });
    const taproot = knownXpub("m/86'/0'/0'", "mainnet");
    const wasabi = JSON.stringify({
      EncryptedSecret: null,
      ExtPubKey: key,
      TaprootExtPubKey: taproot,
      SegwitAccountKeyPath: "84'/0'/0'",
      TaprootAccountKeyPath: "86'/0'/0'",
    });
    const core = JSON.stringify({
      descriptors: [0, 1].map((chain) => ({ desc: `sh(wpkh(${nested}/${chain}/*))` })),
    });
    for (const [paste, scriptType, asked] of [
      [sparrow("P2SH_P2WPKH", "m/49'/0'/0'", nested), "sh-wpkh"],
      [sparrow("P2SH_P2WPKH", "m/0'/0'/0'", nested), "sh-wpkh"],
      [sparrow("P2PKH", "m/44'/0'/0'", legacy), "pkh"],
      [wasabi, "wpkh", "wpkh"],
      [wasabi, "tr", "tr"],
      [core, "sh-wpkh"],
      [`Derivation: m/49'/0'/0'\n${nested}`, "sh-wpkh"],
      [`{"keystore":{"derivation":"m/44h/0h/0h","xpub":"${legacy}"}},\n{"op":"add"},`, "pkh"],
    ] as const)
      expect(read(paste, asked).scriptType, paste).to.equal(scriptType);
  });

  it("is refused as a multi-signature wallet's in whatever form, and as another coin's", () => {
    const other = knownXpub("m/48'/0'/0'/2'", "mainnet");
    for (const paste of [
      `[73c5da0a/48h/0h/0h/2h]${other}`,
      `2-of-${key}-${other}-[legacy]`,
      `Name: shop\nPolicy: 2 of 3\nFormat: P2WSH\n73C5DA0A: ${key}\n11223344: ${other}`,
      `wsh(sortedmulti(2,${key}/0/*,${other}/0/*))`,
      JSON.stringify({ wallet_type: "2fa", "x1/": { xpub: key }, "x2/": { xpub: other } }),
      JSON.stringify({
        quorum: { requiredSigners: 2 },
        extendedPublicKeys: [
          { bip32Path: "m/48'/0'/0'/2'", xpub: other },
          { bip32Path: "Unknown", xpub: key },
        ],
      }),
      JSON.stringify({
        policyType: "MULTI",
        scriptType: "P2WSH",
        keystores: [{ xpub: key }, { xpub: other }],
      }),
    ])
      expect(refusalOf(paste).message, paste).to.include("multi-signature");
    expect(refusalOf(`[73c5da0a/84h/2h/0h]${key}`).message).to.include("another coin");
    expect(refusalOf(`${key}\n${nested}`).message).to.include("Send the key of the one that is meant alone");
  });

  it("asks which account is meant where a file has several, and takes the one that is named", () => {
    const account = (name: string, at: string) => ({ name, deriv: at, xpub: knownXpub(at, "mainnet") });
    const file = JSON.stringify({
      chain: "BTC",
      xfp: "73C5DA0A",
      xpub: knownXpub("m", "mainnet"),
      bip44: account("p2pkh", "m/44'/0'/0'"),
      bip49: account("p2sh-p2wpkh", "m/49'/0'/0'"),
      bip84: account("p2wpkh", "m/84'/0'/0'"),
      bip48_2: account("p2wsh", "m/48'/0'/0'/2'"),
    });
    const { message, errors } = refusalOf(file);
    expect(message).to.match(/several accounts: pkh, sh-wpkh, wpkh\. Send the scriptType/);
    expect(errors[0]?.pointer).to.equal("/scriptType");
    expect(read(file, "wpkh").xpub).to.equal(key);
    expect(read(file, "sh-wpkh").xpub).to.equal(nested);
  });

  it("is refused with a private key in it, encrypted or not, and never repeated", () => {
    const xprv = knownNode("m/84'/0'/0'", "mainnet").toBase58();
    for (const paste of [
      JSON.stringify({ keystore: { type: "bip32", xpub: key, xprv }, wallet_type: "standard" }),
      JSON.stringify({ keystore: { seed: "Xk3T+encrypted==", xpub: key }, use_encryption: true }),
      JSON.stringify({ keystore: { seed: KNOWN_WORDS, xpub: key } }),
      JSON.stringify({ EncryptedSecret: "6PYWeNwzxiQVdm6x", ExtPubKey: key }),
      KNOWN_WORDS.split(" ")
        .map((word, at) => `${at + 1}. ${word}`)
        .join("\n"),
    ]) {
      const { message } = refusalOf(paste);
      expect(message).to.include("private key or a seed").and.not.include(key.slice(0, 12));
    }
  });

  it("is refused as a master key, with both ways on, unless it is Electrum's of a legacy wallet", () => {
    const master = knownXpub("m", "mainnet");
    for (const scriptType of [undefined, "wpkh", "tr"] as const)
      expect(refusalOf(master, scriptType).message).to.match(
        /master key .*m\/84'\/0'\/0'.*Electrum legacy.*pkh/,
      );
    expect(read(master, "pkh").scriptType).to.equal("pkh");
    expect(read(`wpkh(${master}/0/*)`).xpub).to.equal(master);
  });

  it("is called by its name: an incomplete key, an encrypted file, a multi-signature file, another text", () => {
    expect(refusalOf(key.slice(0, -1)).message).to.include("incomplete or has a typing error");
    expect(refusalOf("QklFMQNk".repeat(9)).message).to.include("no extended public key");
    expect(refusalOf("BIE1A".repeat(9)).message).to.include("encrypted wallet file");
    expect(refusalOf(JSON.stringify({ wallet_type: "2of3", "x1/": { xpub: key } })).message).to.include(
      "multi",
    );
    expect(refusalOf(JSON.stringify({ labels: {} })).message).to.include("file without");
    expect(refusalOf("Shop: bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu").message).to.include("an address");
    expect(refusalOf("shop@example.com").message).to.include("Lightning");
    expect(refusalOf(key.toUpperCase()).message).to.include("typing error");
    expect(refusalOf("My shop's wallet").message).to.include("no extended public key");
  });
});
