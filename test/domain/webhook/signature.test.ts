import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import {
  serviceSignature,
  signatureHeaders,
  standardSignature,
  type SignatureInput,
  webhookSecret,
  webhookSecretBytes,
} from "../../../domain/webhook/signature";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OLD_SECRET = "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=";
const BODY = Buffer.from(
  '{"type":"Settled","invoiceId":"inv_8Kq2mVZ5TnYxLr4cWbPdHs9G","metadata":{"orderId":"A-1001"},"additionalStatus":"None"}',
);

function input(changes: Partial<SignatureInput> = {}): SignatureInput {
  return {
    eventId: "evt_1",
    deliveryId: "dlv_2",
    storeId: "store3",
    attempt: 4,
    timestampSeconds: Math.floor(Date.now() / 1000),
    body: BODY,
    secret: SECRET,
    userAgent: "Quittance/0.1.0",
    ...changes,
  };
}

describe("webhook secret", () => {
  it("is whsec_ and the base64 of 32 bytes, and gives those bytes back", () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
    expect(webhookSecret(bytes)).to.equal(SECRET);
    expect(webhookSecretBytes(SECRET)).to.deep.equal(bytes);
  });

  it("refuses another number of bytes and a text without the prefix", () => {
    expect(() => webhookSecret(Buffer.alloc(31))).to.throw(RangeError);
    expect(() => webhookSecretBytes("AAEC")).to.throw(RangeError);
  });
});

describe("webhook signatures", () => {
  // printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SECRET"
  it("X-Service-Sig is openssl's HMAC with the secret's whole text as the key", () => {
    expect(serviceSignature(BODY, SECRET)).to.equal(
      "sha256=de015f7ab7ef82264ce80d311d0deae55eeaefb146efe0028e3886f7d0a391c4",
    );
  });

  // printf 'evt_1.1700000000.%s' "$BODY" | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f -binary | base64
  it("webhook-signature is openssl's HMAC of id.timestamp.body with the decoded bytes as the key", () => {
    expect(standardSignature("evt_1", 1_700_000_000, BODY, SECRET)).to.equal(
      "v1,5Eq7YLTwMOeLMGqUDgktoBQUy4fKevICtpSjkCGlO+A=",
    );
  });

  it("carries every header of a delivery and no other", () => {
    const headers = signatureHeaders(input({ timestampSeconds: 1_700_000_000 }));
    expect(headers).to.deep.equal({
      "Content-Type": "application/json",
      "User-Agent": "Quittance/0.1.0",
      "X-Service-Sig": "sha256=de015f7ab7ef82264ce80d311d0deae55eeaefb146efe0028e3886f7d0a391c4",
      "X-Service-Event-Id": "evt_1",
      "X-Service-Delivery-Id": "dlv_2",
      "X-Service-Store-Id": "store3",
      "X-Service-Attempt": "4",
      "webhook-id": "evt_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": "v1,5Eq7YLTwMOeLMGqUDgktoBQUy4fKevICtpSjkCGlO+A=",
    });
  });

  it("marks a test event", () => {
    expect(signatureHeaders(input({ test: true }))["X-Service-Test"]).to.equal("true");
    expect(signatureHeaders(input({ test: false }))).not.to.have.property("X-Service-Test");
  });

  it("is accepted by the Standard Webhooks library", () => {
    const verified = new Webhook(SECRET).verify(BODY, signatureHeaders(input()));
    expect(verified).to.deep.equal(JSON.parse(BODY.toString()));
  });

  it("is refused by the Standard Webhooks library for another body, id, secret or an old timestamp", () => {
    const headers = signatureHeaders(input());
    const altered = Buffer.from(BODY.toString().replace("A-1001", "A-1002"));
    expect(() => new Webhook(SECRET).verify(altered, headers)).to.throw(/signature/i);
    expect(() => new Webhook(SECRET).verify(BODY, { ...headers, "webhook-id": "evt_2" })).to.throw(
      /signature/i,
    );
    expect(() => new Webhook(OLD_SECRET).verify(BODY, headers)).to.throw(/signature/i);
    const stale = signatureHeaders(input({ timestampSeconds: Math.floor(Date.now() / 1000) - 3_600 }));
    expect(() => new Webhook(SECRET).verify(BODY, stale)).to.throw(/timestamp/i);
  });

  it("during a rotation satisfies the library with either secret, while X-Service-Sig is the new one's", () => {
    const headers = signatureHeaders(input({ previousSecret: OLD_SECRET }));
    expect(headers["webhook-signature"]?.split(" ")).to.have.length(2);
    new Webhook(SECRET).verify(BODY, headers);
    new Webhook(OLD_SECRET).verify(BODY, headers);
    expect(headers["X-Service-Sig"]).to.equal(serviceSignature(BODY, SECRET));
  });
});
