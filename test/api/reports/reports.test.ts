import { expect } from "chai";
import type { z } from "zod";
import type { reportAnswer } from "../../../api/reports/answer";
import { Invoice } from "../../../entities/invoice";
import type { Payment } from "../../../entities/payment";
import { Store } from "../../../entities/store";
import { buildInvoice, buildPayment } from "../../support/factories";
import { breaksInvariants } from "../../support/invariants-always";
import { type Answer, pointers, startApi, type TestApi, type TestStore } from "../server";

describe("API: reports", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    breaksInvariants(api.db, "states and times are written without the events that led to them");
  });
  beforeEach(async () => (shop = await api.store()));
  after(() => api.stop());

  const reportOf = ({ json }: Answer) => json as unknown as z.infer<typeof reportAnswer>;
  const get = (query: string) =>
    api.call("GET", `/stores/${shop.storeId}/reports?${query}`, { key: shop.apiKey });

  /** As the service would have left it. */
  async function invoice(at: string, fields: Partial<Invoice>, paid?: Partial<Payment>): Promise<void> {
    const { ctx, db } = api;
    const store = await db.manager.findOneByOrFail(Store, { id: shop.storeId });
    const { invoice: made } = await buildInvoice(ctx, { store });
    await db.manager.update(Invoice, made.id, { createdAt: new Date(at), decideAt: null, ...fields });
    if (paid !== undefined) await buildPayment(ctx, made.id, { state: "confirmed", ...paid });
  }
  const minutesAfter = (at: string, minutes: number) => new Date(Date.parse(at) + minutes * 60_000);
  const paid = (at: string, first: number, last: number, more: Partial<Payment> = {}) => ({
    firstSeenAt: minutesAfter(at, first),
    confirmedAt: minutesAfter(at, last),
    ...more,
  });
  const SETTLED = { status: "Settled", amount: "49.90", currency: "EUR", dueSats: 100_000n } as const;

  it("add up what came in and what became of the invoices, by days of the time zone", async () => {
    const [late, next] = ["2026-03-28T22:30:00Z", "2026-03-28T23:30:00Z"]; // half past eleven and twelve in Berlin
    await invoice(late, SETTLED, paid(late, 1, 11));
    await invoice(
      next,
      { ...SETTLED, amount: "0.10", dueSats: 201n },
      paid(next, 3, 33, { amountSats: 201n }),
    );
    await invoice(next, { status: "Expired", additionalStatus: "Underpaid" });
    await invoice(next, { status: "Expired", additionalStatus: "PaidAfterExpiration" });
    await invoice(next, { status: "Processing" });
    await invoice("2026-03-30T22:00:00Z", SETTLED, paid(late, 0, 60 * 24 * 9)); // not in the range
    const answer = await get("from=2026-03-28&to=2026-03-29&timeZone=Europe/Berlin");
    expect(answer.status, answer.text).to.equal(200);
    const { totals, periods, by, timeZone } = reportOf(answer);
    expect({ by, timeZone }).to.deep.equal({ by: "day", timeZone: "Europe/Berlin" });
    const quantiles = (median: number, p95 = median) => ({ median, p95 });
    expect(periods[0]).to.deep.equal({
      from: "2026-03-28",
      to: "2026-03-28",
      received: { onchainSats: 100_000, lightningSats: 0 },
      created: 1,
      invoices: { New: 0, Processing: 0, Settled: 1, Expired: 0, Invalid: 0 },
      sold: [{ currency: "EUR", amount: "49.90", sats: 100_000 }],
      averageOrderSats: 100_000,
      paidPercent: 100,
      late: 0,
      partial: 0,
      secondsToPayment: quantiles(60),
      secondsToSettled: quantiles(660),
    });
    expect(periods[1]).to.include({ from: "2026-03-29", created: 4, paidPercent: 33.3, late: 1, partial: 1 });
    expect(periods[1]?.received).to.deep.equal({ onchainSats: 201, lightningSats: 0 });
    expect(totals.received).to.deep.equal({ onchainSats: 100_201, lightningSats: 0 });
    expect(totals.sold).to.deep.equal([{ currency: "EUR", amount: "50.00", sats: 100_201 }]);
    expect(totals).to.include({ created: 5, averageOrderSats: 50_100, paidPercent: 50 });
    expect(totals.secondsToSettled).to.deep.equal(quantiles(660, 1_980));

    await api.call("PATCH", `/stores/${shop.storeId}`, {
      key: shop.apiKey,
      body: { timeZone: "Asia/Tokyo" },
    });
    const inTokyo = reportOf(await get("from=2026-03-29&to=2026-03-29"));
    const days = "createdFrom=2026-03-29&createdTo=2026-03-29";
    const listed = await api.call("GET", `/stores/${shop.storeId}/invoices?${days}`, { key: shop.apiKey });
    expect([inTokyo.totals.created, listed.json.data.length], "its link lists the same").to.deep.equal([
      5, 5,
    ]);
    await api.call("PATCH", `/stores/${shop.storeId}`, { key: shop.apiKey, body: { timeZone: "UTC" } });

    const inUtc = reportOf(await get("from=2026-03-28&to=2026-03-29&by=week"));
    expect(inUtc).to.include({ timeZone: "UTC", by: "week" });
    expect(inUtc.periods.map(({ from, to, created }) => [from, to, created])).to.deep.equal([
      ["2026-03-28", "2026-03-29", 5],
    ]);
  });

  it("refuse by name a range that ends before it begins, days and time zones that do not exist", async () => {
    const refused: [string, string][] = [
      ["from=2026-03-02&to=2026-03-01", "/to"],
      ["from=2020-01-01&to=2026-03-01", "/to"],
      ["from=2026-02-30&to=2026-03-01", "/from"],
      ["to=2026-03-01", "/from"],
      ["from=2026-03-01&to=2026-03-01&by=year", "/by"],
      ["from=2026-03-01&to=2026-03-01&timeZone=Europe/Atlantis", "/timeZone"],
    ];
    for (const [query, pointer] of refused) {
      const answer = await get(query);
      expect(answer.status, query).to.equal(422);
      expect(pointers(answer), query).to.deep.equal([pointer]);
    }
  });
});
