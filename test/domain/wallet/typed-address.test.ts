import { expect } from "chai";
import fc from "fast-check";
import { addressOfScript, scriptOfAddress } from "../../../domain/wallet/address";
import { type AddressFault, readTypedAddress } from "../../../domain/wallet/typed-address";
import { NETWORKS } from "../../../domain/network";

const SEGWIT = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const TAPROOT = "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr";
const LEGACY = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
const NESTED = "37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf";
const TESTNET = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx";
const TESTNET_LEGACY = "mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r";
const BOLT11 =
  "lnbc250u1p56g2jqpp59464hxfz5d9qkvqemdmymvth3k3x73pva3c0elwqcs2ay434qyussp5ch50rwec2f4hr5qgsl956c6rcavgtpsgmjsm";

describe("an address as people type it", () => {
  const TAKEN: [string, string, string][] = [
    ["bech32", SEGWIT, SEGWIT],
    ["bech32m", TAPROOT, TAPROOT],
    ["base58 of a key", LEGACY, LEGACY],
    ["base58 of a script", NESTED, NESTED],
    ["bech32 in capitals, as codes hold it", SEGWIT.toUpperCase(), SEGWIT],
    ["a bitcoin: URI with an amount", `bitcoin:${SEGWIT}?amount=0.5&label=Tea%20shop`, SEGWIT],
    ["a URI in capitals", `BITCOIN:${TAPROOT.toUpperCase()}`, TAPROOT],
    ["a URI with slashes", `bitcoin://${LEGACY}`, LEGACY],
    ["a URI with an invoice of Lightning beside", `bitcoin:${SEGWIT}?lightning=${BOLT11}`, SEGWIT],
    ["spaces and line breaks around and within", `  ${SEGWIT.replace(/(.{4})/g, "$1 ")}\r\n`, SEGWIT],
    ["marks of direction and of zero width", `\u2068${SEGWIT}\u2069\u200b\ufeff`, SEGWIT],
  ];
  for (const [what, text, address] of TAKEN)
    it(`is accepted: ${what}`, () => {
      expect(readTypedAddress(text, "mainnet")).to.deep.equal({
        address,
        scriptPubKey: scriptOfAddress(address, "mainnet"),
      });
    });

  const REFUSED: [string, string, AddressFault][] = [
    ["nothing", "", "empty"],
    ["spaces alone", " \t\n\u200b", "empty"],
    ["a URI without an address", "bitcoin:", "empty"],
    ["a URI with an amount alone", "bitcoin:?amount=1", "empty"],
    ["a URI with Lightning alone", `bitcoin:?lightning=${BOLT11}`, "lightning"],
    ["a URI with a BOLT12 offer alone", "bitcoin:?lno=lno1pg257enxv4ezqcneype82um50", "lightning"],
    ["a BOLT11 invoice", BOLT11, "lightning"],
    ["a BOLT11 invoice in capitals as a URI", `LIGHTNING:${BOLT11.toUpperCase()}`, "lightning"],
    [
      "a BOLT11 invoice of a test network",
      "lntb1500n1pdn4czkpp5ugdqer05qrrxuchrzkcue94th9w2xzasp9qm7d0yqcw",
      "lightning",
    ],
    ["an LNURL", "LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKX", "lightning"],
    ["a Lightning address, or mail", "olga@shop.example", "lightning"],
    ["an address of a test network", TESTNET, "other-network"],
    ["an old address of a test network", TESTNET_LEGACY, "other-network"],
    ["one wrong character of bech32", SEGWIT.replace("z306fyu", "z306fyv"), "typing-error"],
    ["one missing character of bech32", SEGWIT.slice(0, -1), "typing-error"],
    ["capitals in part", `bc1Q${SEGWIT.slice(4)}`, "typing-error"],
    ["one wrong character of base58", LEGACY.replace("fNa", "fNb"), "typing-error"],
    ["a wrong case in base58", LEGACY.toLowerCase(), "typing-error"],
    ["a character that base58 has not", LEGACY.replace("P1eP", "P0eP"), "typing-error"],
    ["a witness version of the future", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", "typing-error"],
    ["words", "my wallet", "no-address"],
    ["a transaction's id", "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16", "no-address"],
    ["a private key", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "no-address"],
    [
      "an extended key",
      "xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ",
      "no-address",
    ],
    ["another chain's address", "0x52908400098527886E0F7030069857D2E4169EE7", "no-address"],
    ["markup", `<script>alert("1")</script>`, "no-address"],
    ["a NUL", "\0", "no-address"],
  ];
  for (const [what, text, fault] of REFUSED)
    it(`is refused as "${fault}": ${what}`, () => {
      expect(readTypedAddress(text, "mainnet")).to.deep.equal({ fault });
    });

  it("belongs to the installation's network", () => {
    expect(readTypedAddress(TESTNET, "signet")).to.include({ address: TESTNET });
    expect(readTypedAddress(TESTNET, "regtest")).to.deep.equal({ fault: "other-network" });
    expect(readTypedAddress(SEGWIT, "testnet4")).to.deep.equal({ fault: "other-network" });
  });

  it("is the same on every network, however it is spaced, cased or wrapped", () => {
    const program = fc.uint8Array({ minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(
        program,
        fc.constantFrom(...NETWORKS),
        fc.boolean(),
        fc.boolean(),
        (bytes, network, loud, uri) => {
          const scriptPubKey = Buffer.concat([Buffer.from([0x00, 0x14]), bytes]);
          const address = addressOfScript(scriptPubKey, network) ?? "";
          const cased = loud ? address.toUpperCase() : address;
          const text = uri ? `bitcoin:${cased}?amount=1` : ` ${cased}\n`;
          expect(readTypedAddress(text, network)).to.deep.equal({ address, scriptPubKey });
        },
      ),
    );
  });

  it("is never accepted with a changed character", () => {
    const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: SEGWIT.length - 1 }),
        fc.constantFrom(...ALPHABET),
        (at, letter) => {
          fc.pre(SEGWIT[at] !== letter);
          const changed = SEGWIT.slice(0, at) + letter + SEGWIT.slice(at + 1);
          expect(readTypedAddress(changed, "mainnet")).to.deep.equal({ fault: "typing-error" });
        },
      ),
    );
  });

  it("is refused quickly when the text is long: whoever has the link may type one", () => {
    // The time of the processor: a busy machine adds nothing to it. Decoding one of them as base58 takes a second.
    const before = process.cpuUsage();
    for (const text of ["z".repeat(30_000), `bc1q${"q".repeat(30_000)}`, `3${"Z".repeat(30_000)}`])
      expect(readTypedAddress(text, "mainnet")).to.have.property("fault");
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).to.be.below(500);
  });
});
