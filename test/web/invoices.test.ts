import { expect } from "chai";
import fc from "fast-check";
import { countRows, type ExportFormat } from "../../web/dashboard/kit/count-rows";
import {
  hiddenFilters,
  invoiceQuery,
  readInvoiceSearch,
  type InvoiceSearch,
} from "../../web/dashboard/pages/invoices/search";
import { formatAmount } from "../../web/dashboard/kit/format/format-money";
import { mergeOf, readMetadata } from "../../web/dashboard/pages/invoice/merge-metadata";
import { inCurrency } from "../../web/dashboard/pages/invoice/fiat";
import { bodyOf, expiriesFor, spanOf } from "../../web/dashboard/pages/new-invoice/values";
import { bestDay, receivedIn } from "../../web/dashboard/pages/store-home/sums";

describe("the filters of the invoices in an address", () => {
  it("keep what is valid and ignore the rest", () => {
    expect(readInvoiceSearch({})).to.deep.equal({});
    expect(
      readInvoiceSearch({
        status: "Settled,Nothing,New",
        additional: "None",
        order: 12,
        from: "2026-03-01",
        to: "2026-13-01",
        q: "",
        archived: "true",
        stranger: "x",
      }),
    ).to.deep.equal({ status: "New,Settled", additional: "None", order: "12", from: "2026-03-01" });
    for (const value of [null, {}, [], true, undefined])
      expect(readInvoiceSearch({ status: value, q: value, from: value })).to.deep.equal({});
  });

  it("request days, which the API reads in the store's time zone", () => {
    expect(
      invoiceQuery({ from: "2026-03-01", to: "2026-03-02", status: "New,Settled", archived: true }),
    ).to.deep.include({
      createdFrom: "2026-03-01",
      createdTo: "2026-03-02",
      status: ["New", "Settled"],
      archived: true,
    });
    expect(invoiceQuery({})).to.deep.include({ createdFrom: undefined, createdTo: undefined, status: [] });
  });

  it("are counted except those that are always shown", () => {
    const all: InvoiceSearch = { status: "New", q: "x", order: "A", from: "2026-03-01", archived: true };
    expect([hiddenFilters(all), hiddenFilters({ status: "New" })]).to.deep.equal([3, 0]);
  });
});

describe("the count of an export's invoices", () => {
  const count = (format: ExportFormat, text: string, pieceBytes: number): number => {
    const bytes = new TextEncoder().encode(text);
    const counted = countRows(format);
    let rows = 0;
    for (let at = 0; at < bytes.length; at += pieceBytes) rows = counted(bytes.subarray(at, at + pieceBytes));
    return rows;
  };
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

  it("is right whatever the invoices contain, and wherever the chunks end", () => {
    const rows = fc.array(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 3 }));
    const texts = fc.constantFrom('"', "\n", "\\", "{", "}", "]", "a");
    const awkward = fc.array(fc.array(fc.string({ unit: texts }), { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(fc.oneof(rows, awkward), fc.integer({ min: 1, max: 9 }), (invoices, size) => {
        const csv = [["id", "note"], ...invoices].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
        expect(count("csv", csv, size)).to.equal(invoices.length);
        const data = invoices.map((row) => ({ row, metadata: { nested: [{ row }] } }));
        expect(count("json", JSON.stringify({ data }, null, size % 2), size)).to.equal(invoices.length);
      }),
    );
  });
});

describe("an invoice's edits", () => {
  it("send only the fields of metadata that changed, and null for removed ones", () => {
    const before = { cart: ["tea"], parcel: 1, note: "x" };
    expect(mergeOf(before, before)).to.deep.equal({});
    expect(mergeOf(before, { cart: ["tea", "pot"], note: "x", gift: true })).to.deep.equal({
      cart: ["tea", "pot"],
      gift: true,
      parcel: null,
    });
  });

  it("accept only a JSON object", () => {
    expect(readMetadata('{"a": [1]}')).to.deep.equal({ a: [1] });
    for (const text of ["", "[1]", "null", '"x"', "{", "1"]) expect(readMetadata(text), text).to.equal(null);
  });
});

describe("an invoice by hand", () => {
  const EMPTY = {
    amount: "12.50",
    currency: "EUR",
    metadata: { orderId: "" },
    description: " ",
    expiresInSeconds: "900",
    redirectUrl: "",
    requiredConfirmations: "",
    paymentTolerance: "",
  };

  it("leaves empty fields out, so that the store's settings apply", () => {
    expect(bodyOf(EMPTY)).to.deep.equal({ amount: "12.50", currency: "EUR", expiresInSeconds: 900 });
  });

  it("sends zero confirmations as zero, and reads a decimal comma", () => {
    const body = bodyOf({
      ...EMPTY,
      amount: "1 200,50",
      metadata: { orderId: " A-1 " },
      requiredConfirmations: 0,
      paymentTolerance: "1.5",
    });
    expect(body).to.deep.include({
      amount: "1200.50",
      metadata: { orderId: "A-1" },
      requiredConfirmations: 0,
      paymentTolerance: 1.5,
    });
    expect(bodyOf({ ...EMPTY, amount: "1,200.50" })["amount"]).to.equal("1,200.50"); // the API refuses it: nobody guesses
  });

  it("offers the store's own expiry among the usual ones, once", () => {
    expect(expiriesFor(3600).map(({ value }) => value)).to.deep.equal([
      "900",
      "3600",
      "86400",
      "604800",
      "2592000",
    ]);
    expect(expiriesFor(1200).find(({ value }) => value === "1200")?.label).to.equal(
      "20 minutes (the store's setting)",
    );
    expect([90, 60, 86_400, 1].map(spanOf)).to.deep.equal(["90 seconds", "1 minute", "1 day", "1 second"]);
  });
});

describe("the money on a store's home", () => {
  it("adds both payment methods and names the best day", () => {
    const received = [
      { day: "2026-03-01", onchainSats: 5, lightningSats: 0 },
      { day: "2026-03-02", onchainSats: 3, lightningSats: 4 },
      { day: "2026-03-03", onchainSats: 0, lightningSats: 7 },
    ];
    expect(receivedIn(received)).to.equal(19);
    expect(bestDay(received)).to.deep.equal({ day: "2026-03-02", sats: 7 });
    expect(bestDay([{ day: "2026-03-01", onchainSats: 0, lightningSats: 0 }])).to.equal(null);
  });

  it("has satoshi in the invoice's currency by its own rate", () => {
    const rate = { value: "55000", sources: [], at: "2026-03-01T12:00:00.000Z", spread: 0 };
    expect(inCurrency(22_728, rate, "EUR")).to.equal(formatAmount("12.5", "EUR")); // in the digits of whoever runs this
  });
});
