import { expect } from "chai";
import { weakenings, type ReleaseSettings } from "../../domain/release-settings";

const STORE: ReleaseSettings = {
  defaultCurrency: "EUR",
  expiresInSeconds: 900,
  paymentTolerance: "1.0000",
  requiredConfirmations: 2,
  confirmationTiers: [{ aboveSats: "1000000", confirmations: 6 }],
  zeroConfMaxSats: null,
  rateSpread: "2.0000",
  rateSources: ["kraken", "coinbase", "bitstamp"],
  checkoutOrigins: ["https://shop.example"],
};

describe("settings that decide when goods are released", () => {
  for (const [what, change, expected] of [
    ["nothing", {}, []],
    ["another currency", { defaultCurrency: "SATS" }, ["defaultCurrency"]],
    ["a rate that is fixed for longer", { expiresInSeconds: 901 }, ["expiresInSeconds"]],
    ["a rate that is fixed for less long", { expiresInSeconds: 899 }, []],
    ["a higher tolerance", { paymentTolerance: "99.9999" }, ["paymentTolerance"]],
    ["a lower tolerance", { paymentTolerance: "0" }, []],
    ["fewer confirmations", { requiredConfirmations: 1 }, ["confirmations"]],
    ["more confirmations", { requiredConfirmations: 3 }, []],
    ["a tier less", { confirmationTiers: [] }, ["confirmations"]],
    [
      "a tier that begins later",
      { confirmationTiers: [{ aboveSats: "2000000", confirmations: 6 }] },
      ["confirmations"],
    ],
    [
      "a tier below that asks for less",
      { confirmationTiers: [...STORE.confirmationTiers, { aboveSats: "500", confirmations: 1 }] },
      ["confirmations"],
    ],
    [
      "a tier above that asks for more",
      { confirmationTiers: [...STORE.confirmationTiers, { aboveSats: "5000000", confirmations: 12 }] },
      [],
    ],
    ["zero confirmations allowed", { zeroConfMaxSats: 1n }, ["zeroConfMaxSats"]],
    [
      "zero confirmations used",
      { zeroConfMaxSats: 500n, requiredConfirmations: 0 },
      ["confirmations", "zeroConfMaxSats"],
    ],
    ["a smaller spread", { rateSpread: "0" }, ["rateSpread"]],
    ["a larger spread", { rateSpread: "3" }, []],
    ["a source less", { rateSources: ["kraken", "coinbase"] }, ["rateSources"]],
    ["other sources", { rateSources: ["kraken", "coinbase", "yadio"] }, ["rateSources"]],
    ["all sources", { rateSources: null }, []],
    [
      "an origin more",
      { checkoutOrigins: ["https://shop.example", "https://evil.example"] },
      ["checkoutOrigins"],
    ],
    ["an origin less", { checkoutOrigins: [] }, []],
  ] as const)
    it(`report ${expected.length === 0 ? "nothing" : "a weakening"} of ${what}`, () => {
      expect(weakenings(STORE, { ...STORE, ...change })).to.deep.equal(expected);
    });
});
