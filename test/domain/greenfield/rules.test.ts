import { expect } from "chai";
import { withoutUnderscores, withUnderscores } from "../../../domain/greenfield/key-text";
import { withTextOrderId } from "../../../domain/greenfield/metadata-order";
import { plainDecimal } from "../../../domain/greenfield/number-text";
import { greenfieldPaymentStatus, paidByMethod } from "../../../domain/greenfield/payment";
import { paymentMethodsOf } from "../../../domain/greenfield/payment-method-id";
import { mayUse, policiesOf, POLICIES, SERVED_POLICIES } from "../../../domain/greenfield/permissions";
import { confirmationsOf, SPEED_POLICIES, speedPolicyOf } from "../../../domain/greenfield/speed-policy";
import { availableMarks, greenfieldState, nativeFilter } from "../../../domain/greenfield/status";
import { fullAmount, fullBtc, roundAmount } from "../../../domain/money/money";
import type {
  AdditionalStatus,
  InvoiceStatus,
  Mark,
  PaymentMethodType,
  PaymentState,
} from "../../../domain/invoice/status";

describe("the dialect of shop plugins", () => {
  describe("status", () => {
    const state = (
      status: InvoiceStatus,
      additionalStatus: AdditionalStatus,
      more: { paidSats?: bigint; markedByHand?: Mark } = {},
    ) => {
      const invoice = { status, additionalStatus, paidSats: 0n, dueSats: 100n, markedByHand: null, ...more };
      const told = greenfieldState(invoice);
      return `${told.status} ${told.additionalStatus}`;
    };
    const rows: [string, string][] = [
      [state("New", "None"), "New None"],
      [state("New", "None", { paidSats: 40n }), "New PaidPartial"],
      [state("Processing", "None", { paidSats: 100n }), "Processing None"],
      [state("Processing", "None", { paidSats: 101n }), "Processing PaidOver"],
      [state("Settled", "None", { paidSats: 100n }), "Settled None"],
      [state("Settled", "Overpaid", { paidSats: 101n }), "Settled PaidOver"],
      [state("Settled", "None", { markedByHand: "Settled" }), "Settled Marked"],
      [state("Settled", "Overpaid", { markedByHand: "Settled" }), "Settled Marked"],
      [state("Settled", "PaidAfterExpiration"), "Expired PaidLate"],
      [state("Expired", "None"), "Expired None"],
      [state("Expired", "Underpaid", { paidSats: 40n }), "Expired PaidPartial"],
      [state("Invalid", "None"), "Invalid None"],
      [state("Invalid", "None", { markedByHand: "Invalid" }), "Invalid Marked"],
    ];
    for (const [is, expected] of rows)
      it(`is ${expected} for its native state`, () => expect(is).to.equal(expected));

    it("offers the marks that the state table allows", () => {
      expect(availableMarks({ status: "New", markedByHand: null })).to.deep.equal(["Settled", "Invalid"]);
      expect(availableMarks({ status: "Settled", markedByHand: null })).to.deep.equal(["Invalid"]);
      expect(availableMarks({ status: "Invalid", markedByHand: null })).to.deep.equal(["Settled", "Invalid"]);
      expect(availableMarks({ status: "Invalid", markedByHand: "Invalid" })).to.deep.equal(["Settled"]);
    });

    it("filters late payments as expired, and not as settled", () => {
      expect(nativeFilter(["Settled"])).to.deep.equal({ status: ["Settled"], settledLate: false });
      expect(nativeFilter(["Expired"])).to.deep.equal({ status: ["Expired", "Settled"], settledLate: true });
      expect(nativeFilter(["Settled", "Expired"])).to.deep.equal({ status: ["Settled", "Expired"] });
      expect(nativeFilter(["New"])).to.deep.equal({ status: ["New"] });
    });
  });

  describe("payment", () => {
    const NOW = new Date("2026-03-01T12:00:00Z");
    const row = {
      type: "BTC-CHAIN" as PaymentMethodType,
      amountSats: 40n,
      state: "pending" as PaymentState,
      confirmedAt: null as Date | null,
      conflictHeights: [] as number[],
      givenUp: false,
      neverCounts: false,
    };
    const cases: [string, Partial<typeof row>, string][] = [
      ["it is pending", {}, "Processing"],
      ["it is confirmed", { state: "confirmed", confirmedAt: NOW }, "Settled"],
      ["it was replaced", { state: "replaced" }, "Invalid"],
      ["it was evicted", { state: "evicted" }, "Invalid"],
      ["it is below the dust limit", { neverCounts: true }, "Invalid"],
      ["it is confirmed and below the dust limit", { state: "confirmed", neverCounts: true }, "Invalid"],
      ["it was double-spent", { state: "replaced", confirmedAt: NOW, conflictHeights: [7] }, "Invalid"],
    ];
    for (const [when, given, status] of cases)
      it(`is ${status} when ${when}`, () =>
        expect(greenfieldPaymentStatus({ ...row, ...given })).to.equal(status));

    const lightning = { ...row, type: "BTC-LN" as const, state: "confirmed" as const };

    it("is added up by its method, on-chain as what Lightning leaves of the sum", () => {
      const payments = [row, lightning, { ...lightning, amountSats: 2n }];
      expect(paidByMethod("BTC-LN", 1_042n, payments)).to.equal(42n);
      expect(paidByMethod("BTC-CHAIN", 1_042n, payments), "others are not shown").to.equal(1_000n);
      expect(paidByMethod("BTC-CHAIN", 40n, [row])).to.equal(40n);
      expect(paidByMethod("BTC-LN", 40n, [row])).to.equal(0n);
    });

    it("that does not count is in no sum, and no sum is negative", () => {
      const canceled = { ...lightning, state: "evicted" as const };
      expect(paidByMethod("BTC-LN", 0n, [canceled])).to.equal(0n);
      expect(paidByMethod("BTC-CHAIN", 0n, [canceled])).to.equal(0n);
      expect(paidByMethod("BTC-CHAIN", 0n, [lightning]), "read before the invoice's sum").to.equal(0n);
    });
  });

  it("knows every plugin's spelling of a payment method, and leaves others out", () => {
    const chain = ["BTC", "btc", "BTC-OnChain", "BTC-CHAIN", "BTC_CHAIN", "btc_chain"];
    const lightning = [
      "BTC-LightningNetwork",
      "BTC_LightningLike",
      "BTC-OffChain",
      "BTC-LN",
      "BTC_LN",
      "btc-ln",
    ];
    for (const id of chain) expect(paymentMethodsOf([id]), id).to.deep.equal(["BTC-CHAIN"]);
    for (const id of lightning) expect(paymentMethodsOf([id]), id).to.deep.equal(["BTC-LN"]);
    for (const id of ["BTC-LNURLPAY", "LTC-CHAIN", "", "BTC-"])
      expect(paymentMethodsOf([id]), id).to.deep.equal([]);
    expect(paymentMethodsOf(["BTC-LN", "BTC", "BTC-CHAIN", "XMR"])).to.deep.equal(["BTC-CHAIN", "BTC-LN"]);
  });

  it("maps a speed policy to confirmations and back", () => {
    expect(SPEED_POLICIES.map(confirmationsOf)).to.deep.equal([0, 1, 2, 6]);
    expect([0, 1, 2, 3, 5, 6, 100].map(speedPolicyOf)).to.deep.equal([
      "HighSpeed",
      "MediumSpeed",
      "LowMediumSpeed",
      "LowMediumSpeed",
      "LowMediumSpeed",
      "LowSpeed",
      "LowSpeed",
    ]);
  });

  it("reads the digits of a JSON number without a binary fraction", () => {
    const digits: [string, string | null][] = [
      ["12.1", "12.1"],
      ['"166.00000000"', "166"],
      ["166.00000000", "166"],
      ["0.1234567890123456789", "0.1234567890123456789"],
      ["9007199254740993", "9007199254740993"],
      ["1e2", "100"],
      ["1.5E-3", "0.0015"],
      ['" 12.50 "', "12.5"],
      ['"12."', "12"],
      ['".5"', "0.5"],
      ['"."', null],
      ["-5", "-5"],
      ['"12,50"', null],
      ['"Infinity"', null],
      ['""', null],
      ["null", null],
      ["", null],
      ["true", null],
      [`1${"0".repeat(60)}`, null],
      ["1e999", null],
    ];
    for (const [sent, plain] of digits) expect(plainDecimal(sent), sent).to.equal(plain);
  });

  it("rounds an amount to the currency's decimals, and writes it with all of them", () => {
    expect(roundAmount("12.505", "EUR")).to.equal("12.51");
    expect(roundAmount("12.504", "EUR")).to.equal("12.5");
    expect(roundAmount("1000.5", "JPY")).to.equal("1001");
    expect(roundAmount("0.000000005", "BTC")).to.equal("0.00000001");
    expect(roundAmount("0.001", "EUR")).to.equal("0");
    expect(roundAmount("1.5", "NOPE")).to.equal("1.5");
    expect(roundAmount("-1.505", "EUR")).to.equal("-1.505");
    expect([fullAmount("12.5", "EUR"), fullAmount("1001", "JPY"), fullAmount("5", "SATS")]).to.deep.equal([
      "12.50",
      "1001",
      "5",
    ]);
    expect([fullBtc(0n), fullBtc(1n), fullBtc(2_100_000_000_000_000n)]).to.deep.equal([
      "0.00000000",
      "0.00000001",
      "21000000.00000000",
    ]);
  });

  it("makes a number as order id a text and removes null, and keeps all else as it was sent", () => {
    expect(withTextOrderId('{"a":1.0,"orderId":1001,"z":null}')).to.equal(
      '{"a":1.0,"orderId":"1001","z":null}',
    );
    expect(withTextOrderId('{"orderId":90071992547409931}')).to.equal('{"orderId":"90071992547409931"}');
    expect(withTextOrderId('{"orderId":null,"a":true}')).to.equal('{"a":true}');
    for (const same of ['{"orderId":"1001"}', '{"orderId":true}', '{"a":{"orderId":1}}', "{}", "[]"])
      expect(withTextOrderId(same)).to.equal(same);
  });

  it("reads a key with or without its underscores as the same key", () => {
    for (const key of ["sk_live_abc123", "sk_test_XYZ"]) {
      expect(withUnderscores(withoutUnderscores(key))).to.equal(key);
      expect(withUnderscores(key)).to.equal(key);
    }
    expect(withUnderscores("skother123")).to.equal("skother123");
  });

  it("gives a key the permissions it was made with, and no permission includes another", () => {
    expect(policiesOf(null)).to.deep.equal(SERVED_POLICIES);
    for (const policy of POLICIES) {
      expect(policiesOf([policy])).to.deep.equal([policy]);
      expect(POLICIES.filter((other) => mayUse([policy], other))).to.deep.equal([policy]);
      expect(mayUse([policy], "any")).to.equal(true);
    }
    expect(policiesOf(["unknown"])).to.deep.equal([]);
  });
});
