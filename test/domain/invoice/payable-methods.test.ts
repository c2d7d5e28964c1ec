import { expect } from "chai";
import { DomainError, WalletNotAuthenticError } from "../../../domain/errors";
import {
  type OfferedMethod,
  payableMethods,
  wantedMethods,
  WITHOUT_BITCOIN_NODE,
} from "../../../domain/invoice/payable-methods";
import type { PaymentMethodType } from "../../../domain/invoice/status";

const WALLET = { scriptType: "wpkh" } as const;
/** Of p2wpkh. */
const DUST_LIMIT = 294n;
const CHAIN: OfferedMethod = { type: "BTC-CHAIN", wallet: WALLET };
const NOT_AUTHENTIC: OfferedMethod = { type: "BTC-CHAIN", wallet: null };
const LIGHTNING: OfferedMethod = { type: "BTC-LN", wallet: null };
const BOTH = { bitcoin: true, lightning: true };

interface Asked {
  due?: bigint;
  wanted?: readonly PaymentMethodType[];
  nodes?: { bitcoin: boolean; lightning: boolean };
}

const payable = (
  methods: readonly OfferedMethod[],
  { due = 1_000n, wanted, nodes = BOTH }: Asked = {},
): string => {
  const { wallet, lightning } = payableMethods(methods, due, wanted, nodes);
  return [...(wallet === null ? [] : ["BTC-CHAIN"]), ...(lightning ? ["BTC-LN"] : [])].join(" and ");
};

describe("the methods that a new invoice can be paid with", () => {
  it("are all of the store's, or those that were wanted", () => {
    expect(payable([CHAIN, LIGHTNING])).to.equal("BTC-CHAIN and BTC-LN");
    expect(payable([CHAIN, LIGHTNING], { wanted: ["BTC-LN"] })).to.equal("BTC-LN");
    expect(payable([CHAIN, LIGHTNING], { wanted: ["BTC-CHAIN"] })).to.equal("BTC-CHAIN");
  });

  it("leave on-chain out below the dust limit, and not at it", () => {
    expect(payable([CHAIN, LIGHTNING], { due: DUST_LIMIT })).to.equal("BTC-CHAIN and BTC-LN");
    expect(payable([CHAIN, LIGHTNING], { due: DUST_LIMIT - 1n })).to.equal("BTC-LN");
  });

  it("leave out what this server has no node for, and a wallet that is not authentic", () => {
    expect(payable([CHAIN, LIGHTNING], { nodes: { bitcoin: false, lightning: true } })).to.equal("BTC-LN");
    expect(payable([CHAIN, LIGHTNING], { nodes: { bitcoin: true, lightning: false } })).to.equal("BTC-CHAIN");
    expect(payable([NOT_AUTHENTIC, LIGHTNING])).to.equal("BTC-LN");
  });

  const refusals: [string, readonly OfferedMethod[], Asked, string][] = [
    [
      "one is wanted that the store does not offer",
      [CHAIN],
      { wanted: ["BTC-CHAIN", "BTC-LN"] },
      "This store does not offer BTC-LN.",
    ],
    ["the store has none", [], {}, "set up a wallet for BTC-CHAIN, or connect a Lightning node"],
    [
      "dust can only be paid on-chain",
      [CHAIN],
      { due: 293n },
      "below 294 sats is dust that nodes do not relay, and the store has no other payment method.",
    ],
    [
      "dust is wanted on-chain",
      [CHAIN, LIGHTNING],
      { due: 293n, wanted: ["BTC-CHAIN"] },
      "and no other payment method was asked for.",
    ],
    [
      "dust is left to a node that is not there",
      [CHAIN, LIGHTNING],
      { due: 293n, nodes: { bitcoin: true, lightning: false } },
      "This server has no Lightning node now.",
    ],
    [
      "only on-chain is offered and there is no Bitcoin node",
      [CHAIN],
      { nodes: { bitcoin: false, lightning: true } },
      WITHOUT_BITCOIN_NODE,
    ],
    [
      "there is no node at all",
      [CHAIN, LIGHTNING],
      { nodes: { bitcoin: false, lightning: false } },
      "This server has no Lightning node now.",
    ],
  ];
  for (const [when, methods, asked, message] of refusals)
    it(`are refused when ${when}`, () => {
      expect(() => payable(methods, asked)).to.throw(DomainError, message);
    });

  it("are refused for a wallet that is not authentic before a missing Lightning node", () => {
    const nodes = { bitcoin: true, lightning: false };
    expect(() => payable([NOT_AUTHENTIC, LIGHTNING], { nodes })).to.throw(WalletNotAuthenticError);
    expect(() => payable([NOT_AUTHENTIC])).to.throw(WalletNotAuthenticError);
  });

  it("are refused for the price, and not for the method, where that leaves nothing", () => {
    expect(() => payable([CHAIN], { due: 1n }))
      .to.throw()
      .with.nested.property("errors[0].pointer", "/amount");
    expect(() => payable([]))
      .to.throw()
      .with.nested.property("errors[0].pointer", "/paymentMethods");
  });
});

describe("the methods that are wanted", () => {
  it("are those of the request as they are, unless it is lenient", () => {
    expect(wantedMethods([CHAIN], {})).to.equal(undefined);
    expect(wantedMethods([CHAIN], { lenient: true })).to.equal(undefined);
    expect(wantedMethods([CHAIN], { paymentMethods: ["BTC-LN"] })).to.deep.equal(["BTC-LN"]);
  });

  it("are, of a lenient request, those that the store offers, at least one", () => {
    const paymentMethods = ["BTC-CHAIN", "BTC-LN"] as const;
    expect(wantedMethods([LIGHTNING], { paymentMethods, lenient: true })).to.deep.equal(["BTC-LN"]);
    expect(() => wantedMethods([], { paymentMethods, lenient: true }))
      .to.throw(DomainError, "This store does not offer BTC-CHAIN or BTC-LN.")
      .with.nested.property("errors[0].pointer", "/paymentMethods");
  });
});
