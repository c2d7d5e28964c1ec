import { expect } from "chai";
import { judgeMacaroon } from "../../../domain/lightning/macaroon-rights";
import { makeMacaroon } from "../../../scripts/devnet/lightning/rights";

const NEEDED = ["invoices:read", "invoices:write"];
const ALL = [...NEEDED, "info:read", "offchain:read"];
const judge = (...rights: string[]) => judgeMacaroon(makeMacaroon(rights).toString("hex"));

describe("a macaroon's rights", () => {
  it("that take payments are accepted, also those of LND's own invoice.macaroon", () => {
    expect(judge(...ALL)).to.deep.equal({ refusal: null, lacks: [] });
    expect(judge(...NEEDED, "address:read", "address:write", "onchain:read")).to.deep.equal({
      refusal: null,
      lacks: ["info:read", "offchain:read"],
    });
    expect(judge(...ALL, "peers:read", "macaroon:read", "signer:read").refusal).to.equal(null);
  });

  for (const right of [
    ...[
      "offchain:write",
      "onchain:write",
      "macaroon:generate",
      "macaroon:write",
      "signer:generate",
      "info:write",
    ],
    ...["peers:write", "uri:/lnrpc.Lightning/SendPaymentSync", "uri:read", "invoices:", "other:admin"],
  ])
    it(`that can spend are refused: ${right}`, () => {
      const { refusal } = judge(...ALL, right);
      expect(refusal).to.include(right).and.to.include("lncli bakemacaroon --save_to");
    });

  it("are those of the macaroon, whatever its caveats take away", () => {
    const narrowed = makeMacaroon([...ALL, "offchain:write"], ["lnd-custom readonly", "ipaddr 10.0.0.1"]);
    expect(judgeMacaroon(narrowed.toString("hex")).refusal).to.include("offchain:write");
    const expiring = makeMacaroon(ALL, ["time-before 2030-01-01T00:00:00Z"]);
    expect(judgeMacaroon(expiring.toString("hex")).refusal).to.equal(null);
  });

  it("that are missing are named", () => {
    expect(judge("invoices:read", "info:read").refusal).to.include("lacks the right invoices:write.");
  });

  it("that cannot be read are refused", () => {
    const sound = makeMacaroon(ALL);
    const cut = [...sound.keys()].map((length) => sound.subarray(0, length));
    const strange = [
      Buffer.from("admin"),
      Buffer.concat([sound, Buffer.from([0])]),
      Buffer.concat([Buffer.from([1]), sound.subarray(1)]),
    ];
    for (const bytes of [...cut, ...strange])
      expect(judgeMacaroon(bytes.toString("hex")).refusal, bytes.toString("hex")).to.include(
        "cannot be read",
      );
  });

  it("are read from a macaroon that a real LND has baked", () => {
    expect(judgeMacaroon(REAL)).to.deep.equal({ refusal: null, lacks: [] });
  });
});

/** LND 0.20's, of a test, with the four rights. */
const REAL =
  "0201036c6e64024f030a105d4bf4b5fe667297cc7e30e19b67af531201301a0c0a04696e666f1204726561641a170a08696e766f69636573120472656164120577726974651a100a086f6666636861696e1204726561640000062014126084378b55a0efe9313024aa5fda1eb413a1860aab8f2f89476b2295a120";
