import { expect } from "chai";
import fc from "fast-check";
import { correction, generate } from "lean-qr";
import { contrast, textOn } from "../../../api/checkout/page/brand";
import { html } from "../../../api/http/html";
import { qrCode } from "../../../api/checkout/page/qr";
import { waysToPay } from "../../../api/checkout/page/ways";
import { fillRedirectUrl } from "../../../domain/invoice/redirect-url";
import { InvoicePaymentMethod } from "../../../entities/invoice-payment-method";

describe("markup of the checkout", () => {
  it("escapes every value, in text and in attributes", () => {
    const evil = `<script>alert("1" & '2')</script>`;
    const escaped = "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;";
    expect(html`<a title="${evil}">${evil}</a>`.text).to.equal(`<a title="${escaped}">${escaped}</a>`);
  });

  it("keeps untrusted text within its place", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const [, inside = ""] = /^<p title="(.*)">/s.exec(html`<p title="${text}"></p>`.text) ?? [];
        expect(inside).not.to.match(/[<>"']/);
        expect(inside.replace(/&(amp|lt|gt|quot|#39);/g, "")).not.to.include("&");
      }),
    );
  });
});

describe("a QR code on the page", () => {
  const text = "bitcoin:BCRT1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KYGT080?amount=0.00022728";
  const pathOf = (markup: string): string => / d="([^"]*)"/.exec(markup)?.[1] ?? "";

  it("has a stroke over each dark module, and over no other", () => {
    const code = generate(text, { minCorrectionLevel: correction.M });
    const dark = new Set<string>();
    let [x, y] = [0, 0];
    for (const [, move, first, second, run] of pathOf(qrCode(text, "").text).matchAll(
      /([Mm])(\d+) (\d+)h(\d+)/g,
    )) {
      [x, y] = move === "M" ? [Number(first), Number(second)] : [x + Number(first), y + Number(second)];
      for (const end = x + Number(run); x < end; x += 1) dark.add(`${x} ${y}`);
    }
    const all = Array.from({ length: code.size ** 2 }, (_, at) => [
      at % code.size,
      Math.floor(at / code.size),
    ]);
    const expected = all.filter(([column = 0, row = 0]) => code.get(column, row)).map((at) => at.join(" "));
    expect([...dark]).to.have.members(expected);
  });
});

describe("a store's colour", () => {
  it("always has a text colour that meets AA", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const color = `#${value.toString(16).padStart(6, "0")}`;
        expect(contrast(color, textOn(color))).to.be.at.least(4.5);
      }),
    );
  });

  it("is measured by WCAG's formula", () => {
    expect(contrast("#000000", "#ffffff")).to.equal(21);
    expect(contrast("#777777", "#ffffff")).to.be.closeTo(4.48, 0.005);
    expect([textOn("#f7931a"), textOn("#1f5fbf")]).to.deep.equal(["#000000", "#ffffff"]);
  });
});

describe("the way back to the store", () => {
  const ids = { invoiceId: "inv_1", orderId: "A/1 ?&#=ä{invoiceId}" };

  it("has the ids in their places, percent-encoded, as often as they occur", () => {
    expect(fillRedirectUrl("https://shop.example/{orderId}/{invoiceId}?o={orderId}", ids)).to.equal(
      "https://shop.example/A%2F1%20%3F%26%23%3D%C3%A4%7BinvoiceId%7D/inv_1?o=A%2F1%20%3F%26%23%3D%C3%A4%7BinvoiceId%7D",
    );
  });

  it("keeps everything else unchanged", () => {
    expect(fillRedirectUrl("https://shop.example/{other}?a=%20$&", ids)).to.equal(
      "https://shop.example/{other}?a=%20$&",
    );
  });
});

describe("payment methods on the page", () => {
  const method = (type: InvoicePaymentMethod["type"], destination: string | null, available = true) =>
    Object.assign(new InvoicePaymentMethod(), { type, destination, available, reason: null });

  it("are one for any wallet and one per payment method, in capitals in the code only", () => {
    expect(waysToPay([method("BTC-CHAIN", "bc1qabc"), method("BTC-LN", "lnbc1xyz")], 10_000n)).to.deep.equal([
      {
        kind: "any",
        address: "bc1qabc",
        bolt11: "lnbc1xyz",
        uri: "bitcoin:bc1qabc?amount=0.0001&lightning=lnbc1xyz",
        qrText: "bitcoin:BC1QABC?amount=0.0001&lightning=LNBC1XYZ",
      },
      {
        kind: "onchain",
        address: "bc1qabc",
        bolt11: null,
        uri: "bitcoin:bc1qabc?amount=0.0001",
        qrText: "bitcoin:BC1QABC?amount=0.0001",
      },
      {
        kind: "lightning",
        address: null,
        bolt11: "lnbc1xyz",
        uri: "lightning:lnbc1xyz",
        qrText: "lightning:LNBC1XYZ",
      },
    ]);
  });

  it("keep an address unchanged whose case matters", () => {
    const [way] = waysToPay([method("BTC-CHAIN", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy")], 1_000n);
    expect(way?.qrText).to.equal("bitcoin:3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy?amount=0.00001");
  });

  it("are those that are available now", () => {
    const gone = method("BTC-LN", "lnbc1xyz", false);
    expect(waysToPay([method("BTC-CHAIN", null), gone], 1n)).to.deep.equal([]);
    expect(waysToPay([method("BTC-CHAIN", "bc1q"), gone], 1n).map(({ kind }) => kind)).to.deep.equal([
      "onchain",
    ]);
  });
});
