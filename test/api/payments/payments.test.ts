import { randomBytes } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { sumPayments } from "../../../commands/payments/ledger";
import { readReport } from "../../../commands/reports/read-report";
import { readStoreHome } from "../../../commands/stores/read-store-home";
import { Invoice } from "../../../entities/invoice";
import { Payment } from "../../../entities/payment";
import { Review } from "../../../entities/review";
import { buildPayment, buildRefund } from "../../support/factories";
import { pointers, startApi, type TestApi, type TestStore } from "../server";

const NOW = new Date("2026-11-28T12:00:00Z");
const HEAD =
  "date,time,at,kind,orderId,invoiceId,method,reference,sats,btc,counted,reason,amount,currency,rate,rateSources,rateAt";

const NOVEMBER = "from=2026-11-01&to=2026-11-30";

/** Havana's midnight comes twice in November, and Beirut's not at all in March. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/Havana",
  "Asia/Beirut",
  "Pacific/Auckland",
  "Pacific/Marquesas",
];

describe("API: payments, for the books", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const call = (method: string, path: string, body?: object) =>
    api.call(method, `/stores/${shop.storeId}${path}`, { key: shop.apiKey, body });
  async function invoice(
    orderId: string,
    price: object = { amount: "55", currency: "EUR" },
  ): Promise<string> {
    const { json, text } = await call("POST", "/invoices", { ...price, metadata: { orderId } });
    expect(json.invoiceId, text).to.be.a("string");
    return json.invoiceId;
  }
  async function csv(days: string): Promise<Record<string, string>[]> {
    const { status, text } = await call("GET", `/payments/export?format=csv&${days}`);
    expect(status, text).to.equal(200);
    const [head = "", ...lines] = text.trimEnd().split("\r\n");
    expect(head.replaceAll('"', "")).to.equal(HEAD);
    const names = HEAD.split(",");
    return lines.map((line) => {
      const cells = line.slice(1, -1).split('","');
      return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
    });
  }

  it("are a line each with the invoice's rate, and refunds with a sign", async () => {
    const id = await invoice("=A-1");
    const at = new Date("2026-10-31T23:30:00Z");
    await buildPayment(api.ctx, id, { state: "confirmed", confirmedAt: at });
    await buildPayment(api.ctx, id, {
      amountSats: 9n,
      state: "confirmed",
      confirmedAt: new Date("2026-11-01T01:00:00Z"),
      neverCounts: true,
    });
    await buildPayment(api.ctx, id, { state: "pending" });
    await buildRefund(api.ctx, id, { refundSats: 20_000n, resolvedAt: new Date("2026-11-02T08:00:00Z") });
    await call("PATCH", "", { timeZone: "Europe/Berlin" });
    const { json } = await call("GET", `/payments?${NOVEMBER}`);
    const lines = json.data as Record<string, unknown>[];
    expect(
      lines.map(({ day, kind, amountSats, counted, reason, fiatAmount, currency }) => [
        day,
        kind,
        amountSats,
        counted,
        reason,
        fiatAmount,
        currency,
      ]),
    ).to.deep.equal([
      ["2026-11-01", "payment", 100_000, true, null, "55.00", "EUR"],
      ["2026-11-01", "payment", 9, false, "below-dust", "0.00", "EUR"],
      ["2026-11-02", "refund", -20_000, true, null, "-11.00", "EUR"],
    ]);
    expect(lines[0]?.["rate"]).to.include({ value: "55000" });
    const rows = await csv(NOVEMBER);
    expect(rows[0]).to.include({ date: "2026-11-01", time: "00:30:00", orderId: "'=A-1", sats: "100000" });
    expect(rows[0]).to.include({ btc: "0.001", amount: "55.00", rate: "55000", at: at.toISOString() });
    expect(rows[2]).to.include({ kind: "refund", sats: "-20000", btc: "-0.0002", amount: "-11.00" });
    const sums = await call("GET", `/payments/summary?${NOVEMBER}`);
    expect(sums.json).to.deep.equal({
      timeZone: "Europe/Berlin",
      receivedOnchainSats: 100_000,
      receivedLightningSats: 0,
      refundedSats: 20_000,
      payments: 1,
      refunds: 1,
      fiat: [{ currency: "EUR", received: "55.00", refunded: "11.00" }],
    });
    const exported = await call("GET", `/payments/export?${NOVEMBER}`);
    expect(exported.json.data).to.deep.equal(lines);
  });

  it("keep a refund whose payment was dropped after it, and say so", async () => {
    const id = await invoice("A", { amount: "1000", currency: "SATS" });
    for (const [amountSats, day] of [
      [1_000n, "2026-11-02"],
      [400n, "2026-11-03"],
    ] as const)
      await buildPayment(api.ctx, id, { amountSats, state: "confirmed", confirmedAt: new Date(day) });
    await changeInvoice(api.ctx, id);
    const { json } = await call("GET", "/reviews");
    const refund = { type: "BTC-LN", reference: "ab".repeat(32), amountSats: 400 };
    const body = { resolution: "refunded", refund };
    const resolved = await call("POST", `/reviews/${String(json.data[0]?.["reviewId"])}/resolve`, body);
    expect(resolved.status, resolved.text).to.equal(200);
    const reasons = async () =>
      ((await call("GET", "/payments")).json.data as Record<string, unknown>[]).map(
        ({ amountSats, counted, reason }) => [amountSats, counted, reason],
      );
    const kept = [1_000, true, null];
    expect(await reasons()).to.deep.equal([kept, [400, true, null], [-400, true, null]]);
    await api.db.query(
      "UPDATE payments SET state = 'double_spent', confirmed_at = NULL WHERE invoice_id = $1 AND amount_sats = 400",
      [id],
    );
    await changeInvoice(api.ctx, id);
    expect(await reasons()).to.deep.equal([kept, [-400, true, "payment-gone"]]);
    const [, line] = await csv("");
    expect(line).to.include({ kind: "refund", counted: "true", reason: "payment-gone" });
  });

  it("are listed in pages without a gap, also when many were confirmed by one block", async () => {
    const id = await invoice("A", { amount: "1000", currency: "SATS" });
    const confirmedAt = new Date("2026-10-05T10:00:00Z");
    for (let n = 1n; n <= 7n; n += 1n)
      await buildPayment(api.ctx, id, { amountSats: n, state: "confirmed", confirmedAt });
    const seen: unknown[] = [];
    let cursor = "";
    do {
      const { json } = await call("GET", `/payments?limit=2${cursor}`);
      seen.push(...json.data.map(({ amountSats }) => amountSats));
      cursor = json.nextCursor === null ? "" : `&cursor=${json.nextCursor}`;
    } while (cursor !== "");
    expect(seen.sort()).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
  });

  it("refuse by name a range that ends before it begins, days and time zones that do not exist", async () => {
    const refusals = [
      await call("GET", "/payments?from=2026-11-31"),
      await call("GET", "/payments/summary?from=2026-11-02&to=2026-11-01"),
      await call("GET", "/payments/export?to=last"),
      await call("GET", "/payments?cursor=nonsense"),
      await call("PATCH", "", { timeZone: "Europe/Berln" }),
    ];
    expect(refusals.map(({ status }) => status)).to.deep.equal([422, 422, 422, 422, 422]);
    expect(refusals.flatMap(pointers)).to.deep.equal(["/from", "/to", "/to", "/cursor", "/timeZone"]);
  });

  it("add up to the satoshi and the cent: lines, days, months, year and the dashboard, whatever the history and its changes", async function () {
    this.timeout(120_000);
    const minute = fc.integer({ min: 0, max: 300 * 1_440 });
    const line = fc.record({
      ago: minute,
      sats: fc.bigInt({ min: 1n, max: 10_000_000n }),
      kind: fc.constantFrom("BTC-CHAIN", "BTC-LN", "refund", "dust", "pending"),
      invoice: fc.integer({ min: 0, max: 2 }),
    });
    const history = fc.record({ zone: fc.constantFrom(...ZONES), lines: fc.array(line, { maxLength: 20 }) });
    api.ctx.clock.freeze(NOW);
    await fc.assert(
      fc.asyncProperty(history, async ({ zone, lines }) => {
        shop = await api.store();
        await call("PATCH", "", { timeZone: zone });
        const invoices = [
          await invoice("eur"),
          await invoice("usd", { amount: "60", currency: "USD" }),
          await invoice("sats", { amount: "1000", currency: "SATS" }),
        ];
        await api.db.manager.update(
          Invoice,
          { id: invoices[0] ?? "" },
          { createdAt: new Date("2025-01-01") },
        );
        const half = Math.floor(lines.length / 2);
        for (const [place, { ago, sats: amountSats, kind, invoice: of }] of lines.entries()) {
          const at = new Date(NOW.getTime() - ago * 60_000);
          const invoiceId = invoices[of] ?? "";
          if (place === half) {
            await agree();
            await api.db.manager.update(Payment, { invoiceId, state: "confirmed" }, { state: "pending" });
            await api.db.manager.update(Review, { invoiceId }, { resolvedAt: at });
          }
          if (kind === "refund")
            await buildRefund(api.ctx, invoiceId, { refundSats: amountSats, resolvedAt: at });
          else
            await buildPayment(api.ctx, invoiceId, {
              amountSats,
              type: kind === "BTC-LN" ? kind : "BTC-CHAIN",
              state: kind === "pending" ? kind : "confirmed",
              confirmedAt: kind === "pending" ? null : at,
              firstSeenAt: at,
              neverCounts: kind === "dust",
              ...(kind === "BTC-LN" && { id: randomBytes(32).toString("hex") }),
            });
        }
        await agree();
      }),
      { numRuns: 2 },
    );
  });

  const summary = (from: string, to = from) => sumPayments(api.ctx, shop.storeId, { from, to });
  const cents = (text: string): number => Math.round(Number(text) * 100);
  const lastOf = (month: string): string => {
    const [year = 0, number = 0] = month.split("-").map(Number);
    return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
  };

  async function agree(): Promise<void> {
    const all = await csv("");
    const counted = (rows: Record<string, string>[]) => rows.filter((row) => row["counted"] === "true");
    const ranges = new Map(
      all.flatMap(({ date = "" }): [string, readonly [string, string]][] => [
        [date, [date, date]],
        [date.slice(0, 7), [`${date.slice(0, 7)}-01`, lastOf(date.slice(0, 7))]],
        [date.slice(0, 4), [`${date.slice(0, 4)}-01-01`, `${date.slice(0, 4)}-12-31`]],
      ]),
    );
    for (const [prefix, [from, to]] of ranges) {
      const rows = await csv(`from=${from}&to=${to}`);
      expect(rows).to.have.deep.members(all.filter(({ date = "" }) => date.startsWith(prefix)));
      const total = (kind: string, method?: string): bigint =>
        counted(rows)
          .filter((row) => row["kind"] === kind && (method === undefined || row["method"] === method))
          .reduce((sum, { sats = "0" }) => sum + BigInt(sats.replace("-", "")), 0n);
      const { fiat, ...sums } = await summary(from, to);
      expect(sums, prefix).to.include({
        receivedOnchainSats: total("payment", "BTC-CHAIN"),
        receivedLightningSats: total("payment", "BTC-LN"),
        refundedSats: total("refund"),
      });
      for (const { currency, received, refunded } of fiat) {
        const own = counted(rows).filter((row) => row["currency"] === currency);
        const sum = own.reduce((so, { amount = "0" }) => so + cents(amount), 0);
        expect(cents(received) - cents(refunded), `${prefix} ${currency}`).to.equal(sum);
      }
    }
    const home = await readStoreHome(api.ctx, shop.storeId);
    const { periods } = await readReport(api.ctx, shop.storeId, {
      from: "2025-12-01",
      to: "2026-11-30",
      by: "month",
      timeZone: home.timeZone,
    });
    for (const { from, to, received } of [
      ...periods,
      ...home.received.map(({ day, ...received }) => ({ from: day, to: day, received })),
    ])
      expect(await summary(from, to), `${from} to ${to}`).to.include({
        receivedOnchainSats: received.onchainSats,
        receivedLightningSats: received.lightningSats,
      });
  }
});
