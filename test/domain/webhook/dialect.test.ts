import { createHmac } from "node:crypto";
import { expect } from "chai";
import type { EmittedEvent } from "../../../domain/invoice/facts";
import type { AdditionalStatus, EventType } from "../../../domain/invoice/status";
import { eventBody } from "../../../domain/webhook/body";
import {
  DIALECT_EVENTS,
  type DialectEvent,
  type EventCircumstances,
  type PaidBy,
  partsOf,
  type PartFields,
  subscribedParts,
} from "../../../domain/webhook/dialect";
import { dialectBody, dialectHeaders } from "../../../domain/webhook/dialect-body";

const AT = new Date("2026-03-01T12:00:00.900Z");
const onchain: PaidBy = {
  id: `${"ab".repeat(32)}:1`,
  type: "BTC-CHAIN",
  amountSats: 12_740n,
  state: "pending",
  firstSeenAt: AT,
  inWindow: true,
  destination: "bcrt1qaddress",
};

interface Case {
  type: EventType;
  additionalStatus?: AdditionalStatus;
  byHand?: boolean;
  earlier?: EventType[];
  overPaid?: boolean;
  payments?: PaidBy[];
}
const event = ({ type, additionalStatus = "None", byHand = false }: Case): EmittedEvent => ({
  type,
  additionalStatus,
  byHand,
  round: 1,
});
const circumstances = ({ earlier = [], overPaid = false, payments = [] }: Case): EventCircumstances => ({
  earlier: earlier.map((type) => ({ type })),
  overPaid,
  minDueSats: 10_000n,
  payments,
});
/** As the table of events writes them: the name and its flags. */
function told(given: Case): string[] {
  return partsOf(event(given), circumstances(given)).map(({ type, fields }) => {
    const { payment: _, paymentMethodId: __, ...flags } = fields;
    return [type, ...Object.entries(flags).map(([name, value]) => `${name}:${value}`)].join(" ");
  });
}

describe("partsOf", () => {
  describe("names the last payment", () => {
    const later = (payment: PaidBy, seconds: number): PaidBy => ({
      ...payment,
      id: `${"cd".repeat(32)}:0`,
      state: "confirmed",
      firstSeenAt: new Date(AT.getTime() + seconds * 1_000),
    });
    const first: PaidBy = { ...onchain, state: "confirmed" };
    const namedOf = (payments: PaidBy[]): string | undefined =>
      partsOf(
        { type: "Settled", additionalStatus: "None", byHand: false },
        circumstances({ type: "Settled", earlier: ["New", "Processing"], payments }),
      )[0]?.fields.payment?.id;

    it("of those that were first seen by the end of monitoring, if they pay the price", () => {
      expect(namedOf([first, later(first, 60)])).to.equal(`${"cd".repeat(32)}-0`);
      const dust = { ...later(first, 60), amountSats: 1_000n, inWindow: false };
      expect(namedOf([dust, first])).to.equal(`${"ab".repeat(32)}-1`);
    });

    it("of all, if only those that came later complete the price", () => {
      const part = { ...first, amountSats: 9_999n };
      expect(namedOf([part, { ...later(first, 60), inWindow: false }])).to.equal(`${"cd".repeat(32)}-0`);
      expect(namedOf([{ ...first, inWindow: false }])).to.equal(`${"ab".repeat(32)}-1`);
    });
  });

  const rows: [string, Case, string[]][] = [
    ["New", { type: "New" }, ["InvoiceCreated"]],
    [
      "Processing",
      { type: "Processing", earlier: ["New"] },
      ["InvoiceReceivedPayment afterExpiration:false", "InvoiceProcessing overPaid:false"],
    ],
    [
      "Processing with more than the price",
      { type: "Processing", earlier: ["New"], overPaid: true },
      ["InvoiceReceivedPayment afterExpiration:false", "InvoiceProcessing overPaid:true"],
    ],
    [
      "Settled after Processing",
      { type: "Settled", earlier: ["New", "Processing"] },
      ["InvoicePaymentSettled afterExpiration:false", "InvoiceSettled manuallyMarked:false overPaid:false"],
    ],
    [
      "Settled as Overpaid after Processing",
      { type: "Settled", additionalStatus: "Overpaid", earlier: ["New", "Processing"], overPaid: true },
      ["InvoicePaymentSettled afterExpiration:false", "InvoiceSettled manuallyMarked:false overPaid:true"],
    ],
    [
      "Settled without Processing before (Lightning, zero confirmations)",
      { type: "Settled", earlier: ["New"] },
      [
        "InvoiceReceivedPayment afterExpiration:false",
        "InvoiceProcessing overPaid:false",
        "InvoicePaymentSettled afterExpiration:false",
        "InvoiceSettled manuallyMarked:false overPaid:false",
      ],
    ],
    [
      "Settled again as Overpaid",
      {
        type: "Settled",
        additionalStatus: "Overpaid",
        earlier: ["New", "Processing", "Settled"],
        overPaid: true,
      },
      ["InvoicePaymentSettled afterExpiration:false"],
    ],
    [
      "Settled by hand",
      { type: "Settled", byHand: true, earlier: ["New", "Processing"] },
      ["InvoiceSettled manuallyMarked:true overPaid:false"],
    ],
    [
      "Settled / PaidAfterExpiration",
      { type: "Settled", additionalStatus: "PaidAfterExpiration", earlier: ["New", "Expired"] },
      [
        "InvoiceReceivedPayment afterExpiration:true",
        "InvoicePaymentSettled afterExpiration:true",
        "InvoicePaidAfterExpiration",
      ],
    ],
    ["Expired / None", { type: "Expired", earlier: ["New"] }, ["InvoiceExpired partiallyPaid:false"]],
    [
      "Expired / Underpaid",
      { type: "Expired", additionalStatus: "Underpaid", earlier: ["New"] },
      ["InvoiceExpired partiallyPaid:true", "InvoiceExpiredPaidPartial"],
    ],
    [
      "Expired / Underpaid after Processing",
      { type: "Expired", additionalStatus: "Underpaid", earlier: ["New", "Processing"] },
      ["InvoiceExpired partiallyPaid:true", "InvoiceExpiredPaidPartial"],
    ],
    [
      "Expired / None, later Underpaid",
      { type: "Expired", additionalStatus: "Underpaid", earlier: ["New", "Expired"] },
      ["InvoiceReceivedPayment afterExpiration:true"],
    ],
    ["Invalid", { type: "Invalid", earlier: ["New", "Processing"] }, ["InvoiceInvalid manuallyMarked:false"]],
    [
      "Invalid by hand",
      { type: "Invalid", byHand: true, earlier: ["New"] },
      ["InvoiceInvalid manuallyMarked:true"],
    ],
  ];
  for (const [name, given, expected] of rows)
    it(`is as the table says: ${name}`, () => expect(told(given)).to.deep.equal(expected));

  it("never has InvoiceSettled for a late payment, nor a settled payment for a part of the price", () => {
    for (const earlier of [["New"], ["New", "Expired"], ["New", "Processing", "Invalid"]] as EventType[][]) {
      const late = told({ type: "Settled", additionalStatus: "PaidAfterExpiration", earlier });
      expect(late.join()).to.not.include("InvoiceSettled");
      const part = told({ type: "Expired", additionalStatus: "Underpaid", earlier });
      expect(part.join()).to.not.include("InvoicePaymentSettled");
    }
  });

  it("names the payment that was seen last, and of a settled one the last confirmed", () => {
    const lightning: PaidBy = {
      ...onchain,
      id: "cd".repeat(32),
      type: "BTC-LN",
      state: "confirmed",
      amountSats: 1n,
      firstSeenAt: new Date(AT.getTime() - 1_000),
      destination: null,
    };
    const parts = partsOf(
      event({ type: "Settled" }),
      circumstances({ type: "Settled", payments: [onchain, lightning] }),
    );
    expect(parts[0]?.fields).to.deep.equal({
      afterExpiration: false,
      paymentMethodId: "BTC-CHAIN",
      payment: {
        id: `${"ab".repeat(32)}-1`,
        receivedDate: 1772366400,
        value: "0.00012740",
        fee: "0.00000000",
        status: "Processing",
        destination: "bcrt1qaddress",
      },
    });
    expect(parts[2]?.fields).to.deep.include({ paymentMethodId: "BTC-LN" });
    expect(parts[2]?.fields.payment).to.include({ id: "cd".repeat(32), status: "Settled", destination: "" });
    expect(parts[2]?.fields.payment?.value).to.equal("0.00000001");
  });
});

describe("subscribedParts", () => {
  const parts = DIALECT_EVENTS.map((type) => ({ type, fields: {} }));

  it("are all of them, or those that are named, in their order; an unknown name never matches", () => {
    expect(subscribedParts(parts, null)).to.deep.equal(parts);
    const named = subscribedParts(parts, ["InvoiceSettled", "InvoiceSomething", "InvoiceCreated"]);
    expect(named.map(({ type }) => type)).to.deep.equal(["InvoiceCreated", "InvoiceSettled"]);
    expect(subscribedParts(parts, [])).to.deep.equal([]);
  });
});

describe("dialectBody", () => {
  const metadata = '{"orderId":"1001","10":1,"2":9007199254740993,"posData":"{}"}';
  const delivery = (fields: PartFields, type: DialectEvent = "InvoiceSettled") => ({
    deliveryId: "whd_1",
    webhookId: "wh_1",
    storeId: "store",
    invoiceId: "inv_1",
    type,
    fields,
    createdAt: AT,
    eventBody: eventBody({ type: "Settled", invoiceId: "inv_1", metadata, additionalStatus: "None" }),
  });

  it("has the ids, the event's time, the merchant's metadata as text, and the flags of its type", () => {
    expect(dialectBody(delivery({ manuallyMarked: false, overPaid: false })).toString()).to.equal(
      '{"deliveryId":"whd_1","webhookId":"wh_1","originalDeliveryId":"whd_1","isRedelivery":false,' +
        '"type":"InvoiceSettled","timestamp":1772366400,"storeId":"store","invoiceId":"inv_1",' +
        `"metadata":${metadata},"manuallyMarked":false,"overPaid":false}`,
    );
  });

  it("is JSON without fields of its own, and the same whatever order the fields have", () => {
    expect(JSON.parse(dialectBody(delivery({}, "InvoiceCreated")).toString())).to.include({
      type: "InvoiceCreated",
    });
    const one = dialectBody(delivery({ overPaid: true, manuallyMarked: false }));
    expect(one.equals(dialectBody(delivery({ manuallyMarked: false, overPaid: true })))).to.equal(true);
  });
});

describe("dialectHeaders", () => {
  const input = {
    eventId: "evt",
    deliveryId: "whd",
    storeId: "store",
    attempt: 2,
    userAgent: "Quittance/test",
  };

  it("sign the body with the text of any secret, and have none of Standard Webhooks", () => {
    const body = Buffer.from('{"type":"InvoiceSettled"}');
    for (const secret of ["0123456789abcdef", "pässwört of a shop", "whsec_AAEC"]) {
      const headers = dialectHeaders({ ...input, body, secret });
      const hmac = createHmac("sha256", Buffer.from(secret, "utf8")).update(body).digest("hex");
      expect(headers).to.deep.equal({
        "Content-Type": "application/json",
        "User-Agent": "Quittance/test",
        "X-Service-Event-Id": "evt",
        "X-Service-Delivery-Id": "whd",
        "X-Service-Store-Id": "store",
        "X-Service-Attempt": "2",
        "BTCPay-Sig": `sha256=${hmac}`,
      });
    }
  });
});
