import { expect } from "chai";
import { paysEach, refundPaid } from "../../../domain/invoice/refund";

const [ANNA, BEN, NOBODY] = ["a1", "b2", "c3"].map((hex) => Buffer.from(hex, "hex")) as [
  Buffer,
  Buffer,
  Buffer,
];
const output = (scriptPubKey: Buffer, valueSats: bigint) => ({ scriptPubKey, valueSats });
const refund = (script: Buffer | null, amountSats: bigint) => ({ script, amountSats });

describe("a refund's transaction", () => {
  const outputs = [output(ANNA, 300n), output(BEN, 500n), output(ANNA, 200n)];

  it("is compared by what it pays to the customer's address, or else by the output of that amount", () => {
    expect(refundPaid(outputs, refund(ANNA, 300n))).to.deep.equal({ toAddress: true, sats: [500n] });
    expect(refundPaid(outputs, refund(NOBODY, 200n))).to.deep.equal({ toAddress: false, sats: [200n] });
    expect(refundPaid(outputs, refund(null, 200n))).to.deep.equal({ toAddress: null, sats: [200n] });
  });

  it("shows sixteen outputs at most where none has that amount", () => {
    const many = Array.from({ length: 40 }, (_, at) => output(BEN, BigInt(at + 1)));
    expect(refundPaid(many, refund(null, 99n)).sats).to.have.lengthOf(16);
    expect(refundPaid(many, refund(null, 40n)).sats).to.deep.equal([40n]);
  });

  const cases: [string, boolean, ReturnType<typeof refund>[]][] = [
    ["each to an address of its own", true, [refund(ANNA, 500n), refund(BEN, 500n)]],
    ["two that one address got together", true, [refund(ANNA, 400n), refund(ANNA, 100n)]],
    ["more than one address got", false, [refund(ANNA, 400n), refund(ANNA, 101n)]],
    ["without an address, an output of that amount", true, [refund(null, 500n), refund(ANNA, 500n)]],
    ["one output for two", false, [refund(null, 500n), refund(BEN, 500n)]],
    ["one output for two without an address", false, [refund(null, 500n), refund(null, 500n)]],
    ["an amount that no output has", false, [refund(ANNA, 500n), refund(null, 499n)]],
    ["an address that was left, but not used", true, [refund(NOBODY, 500n), refund(ANNA, 500n)]],
  ];
  for (const [what, pays, refunds] of cases)
    it(`${pays ? "is" : "is not"} each of several refunds: ${what}`, () => {
      expect(paysEach(outputs, refunds)).to.equal(pays);
      expect(paysEach(outputs, refunds.toReversed())).to.equal(pays);
    });
});
