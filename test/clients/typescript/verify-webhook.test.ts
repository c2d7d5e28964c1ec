import { expect } from "chai";
import { Webhook as StandardWebhook } from "standardwebhooks";
import {
  verifyStandardWebhook,
  verifyWebhook,
  WebhookSignatureError,
} from "../../../clients/typescript/src/index";
import { signatureHeaders } from "../../../domain/webhook/signature";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
const EVENT = { type: "Settled", invoiceId: "inv_1", metadata: { orderId: "Ä-1" }, additionalStatus: "None" };
const BODY = Buffer.from(JSON.stringify(EVENT));
const NOW = new Date("2026-03-01T09:00:00Z");

/** The headers as the service sends them, by Node's lower-case names. */
function headers(secret = SECRET, previousSecret?: string): Record<string, string> {
  const sent = signatureHeaders({
    eventId: "evt_1",
    deliveryId: "dlv_1",
    storeId: "store",
    attempt: 1,
    userAgent: "test",
    timestampSeconds: NOW.getTime() / 1_000,
    body: BODY,
    secret,
    previousSecret,
  });
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
}
const signature = (secret = SECRET) => headers(secret)["x-service-sig"];

describe("verifyWebhook", () => {
  it("gives the event of a body that the service signed, as bytes or as text", () => {
    for (const rawBody of [BODY, new Uint8Array(BODY), BODY.toString("utf8")])
      expect(verifyWebhook({ rawBody, signatureHeader: signature(), secret: SECRET })).to.deep.equal(EVENT);
  });

  it("reads bytes that are a part of a larger buffer", () => {
    const whole = Buffer.concat([Buffer.from("before"), BODY, Buffer.from("behind")]);
    const rawBody = new Uint8Array(whole.buffer, whole.byteOffset + 6, BODY.length);
    expect(verifyWebhook({ rawBody, signatureHeader: signature(), secret: SECRET })).to.deep.equal(EVENT);
  });

  it("accepts one of several secrets", () => {
    const secret = [OTHER, SECRET];
    expect(verifyWebhook({ rawBody: BODY, signatureHeader: signature(), secret })).to.deep.equal(EVENT);
  });

  for (const [what, signatureHeader] of [
    ["no header", undefined],
    ["null, as Headers gives it", null],
    ["an empty header", ""],
    ["several headers", [signature() ?? ""]],
    ["another secret's signature", signature(OTHER)],
    ["the digest alone", signature()?.slice("sha256=".length)],
    ["capitals", signature()?.toUpperCase()],
    ["a shorter one", signature()?.slice(0, -1)],
    ["characters of several bytes", "ä".repeat(71)],
  ] as [string, string | string[] | null | undefined][])
    it(`refuses ${what}`, () => {
      expect(() => verifyWebhook({ rawBody: BODY, signatureHeader, secret: SECRET })).to.throw(
        WebhookSignatureError,
      );
    });

  it("refuses a body that was changed, even in its blanks", () => {
    const rawBody = JSON.stringify(EVENT, null, 1);
    expect(() => verifyWebhook({ rawBody, signatureHeader: signature(), secret: SECRET })).to.throw(
      WebhookSignatureError,
    );
  });

  it("reports the program's own mistake rather than the sender's", () => {
    const input = { rawBody: BODY, signatureHeader: signature(), secret: SECRET };
    const parsed = EVENT as unknown as string;
    expect(() => verifyWebhook({ ...input, rawBody: parsed })).to.throw(TypeError, "before it is parsed");
    for (const secret of ["", [], [""], undefined as unknown as string])
      expect(() => verifyWebhook({ ...input, secret })).to.throw(TypeError, "secret is missing");
  });
});

describe("verifyStandardWebhook", () => {
  const input = { rawBody: BODY, headers: headers(), secret: SECRET, now: NOW };

  it("gives the event, from Node's headers and from Headers", () => {
    expect(verifyStandardWebhook(input)).to.deep.equal(EVENT);
    expect(verifyStandardWebhook({ ...input, headers: new Headers(headers()) })).to.deep.equal(EVENT);
  });

  it("accepts the standard's own library's signature", () => {
    const theirs = new StandardWebhook(SECRET).sign("evt_1", NOW, BODY.toString("utf8"));
    const given = { ...headers(), "webhook-signature": theirs };
    expect(verifyStandardWebhook({ ...input, headers: given })).to.deep.equal(EVENT);
  });

  it("accepts the old secret while the new one is being set", () => {
    const rotated = { ...input, headers: headers(OTHER, SECRET) };
    expect(verifyStandardWebhook(rotated)).to.deep.equal(EVENT);
    expect(verifyStandardWebhook({ ...rotated, secret: OTHER })).to.deep.equal(EVENT);
  });

  it("refuses what is too old or from the future, with 300 seconds by default", () => {
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
    for (const seconds of [-300, 300])
      expect(verifyStandardWebhook({ ...input, now: at(seconds) })).to.deep.equal(EVENT);
    for (const seconds of [-301, 301])
      expect(() => verifyStandardWebhook({ ...input, now: at(seconds) })).to.throw(WebhookSignatureError);
    const patient = { ...input, now: at(3_000), toleranceSeconds: 3_600 };
    expect(verifyStandardWebhook(patient)).to.deep.equal(EVENT);
  });

  it("uses the clock's time by default", () => {
    const { now: _now, ...live } = input;
    expect(() => verifyStandardWebhook(live)).to.throw(WebhookSignatureError, "too far from now");
  });

  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"])
    for (const value of ["", "x", "1e9", "99999999999999999999"])
      it(`refuses ${name} ${JSON.stringify(value)}`, () => {
        const changed = { ...input, headers: { ...headers(), [name]: value } };
        expect(() => verifyStandardWebhook(changed)).to.throw(WebhookSignatureError);
      });

  it("refuses another secret's and another body's signature", () => {
    expect(() => verifyStandardWebhook({ ...input, secret: OTHER })).to.throw(WebhookSignatureError);
    expect(() => verifyStandardWebhook({ ...input, rawBody: `${BODY.toString()} ` })).to.throw(
      WebhookSignatureError,
    );
  });
});
