import { expect } from "chai";
import fc from "fast-check";
import { eventBody } from "../../../domain/webhook/body";

describe("webhook body", () => {
  it("has exactly the four fields in the order of the interface specification", () => {
    const body = eventBody({
      type: "Settled",
      invoiceId: "inv_8Kq2mVZ5TnYxLr4cWbPdHs9G",
      metadata: '{"orderId":"A-1001"}',
      additionalStatus: "None",
    });
    expect(body.toString()).to.equal(
      '{"type":"Settled","invoiceId":"inv_8Kq2mVZ5TnYxLr4cWbPdHs9G","metadata":{"orderId":"A-1001"},"additionalStatus":"None"}',
    );
  });

  it("keeps metadata as sent: blanks, numeric keys in order, big numbers, escapes", () => {
    const metadata = '{ "orderId":"\\u00e9", "2":1, "1":12345678901234567890, "price":1.10, "__proto__":{} }';
    const body = eventBody({
      type: "New",
      invoiceId: "inv_a",
      metadata,
      additionalStatus: "None",
    }).toString();
    expect(body).to.equal(
      `{"type":"New","invoiceId":"inv_a","metadata":${metadata},"additionalStatus":"None"}`,
    );
  });

  it("is JSON in UTF-8 that reads back as the event for any metadata", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), (metadata) => {
        const event = { type: "Invalid", invoiceId: "inv_b", additionalStatus: "None" } as const;
        const text = JSON.stringify(metadata);
        const parsed: unknown = JSON.parse(eventBody({ ...event, metadata: text }).toString("utf8"));
        expect(parsed).to.deep.equal({ ...event, metadata: JSON.parse(text) as unknown });
      }),
    );
  });
});
