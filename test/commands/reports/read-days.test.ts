import { expect } from "chai";
import fc from "fast-check";
import type { DataSource, QueryRunner } from "typeorm";
import { readDays } from "../../../commands/reports/read-days";
import { claimDays, countSums, keepSums, readFence } from "../../../commands/reports/queries";
import { readReport } from "../../../commands/reports/read-report";
import { receivedIn, type Sums } from "../../../domain/report/sums";
import { calendarIn } from "../../../domain/time-zone";
import { DaySums } from "../../../entities/day-sums";
import { Invoice } from "../../../entities/invoice";
import { Payment } from "../../../entities/payment";
import type { Store } from "../../../entities/store";
import { eventually } from "../../support/eventually";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildPayment, buildRefund, buildStore } from "../../support/factories";
import { breaksInvariants } from "../../support/invariants-always";
import { statementsOf } from "../../support/plans";

const NOW = new Date("2026-11-28T12:00:00Z");
const WEEK = { from: "2026-11-22", to: "2026-11-28" };
const MONDAY = "2026-11-23";
const TUESDAY = "2026-11-24";
const at = (day: string): Date => new Date(`${day}T12:00:00Z`);
const UTC = calendarIn("UTC");

describe("sums of days", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  let onMonday: string;
  let onTuesday: string;
  before(async () => {
    db = await testDatabase(8);
    ctx = await testContext({ db });
    breaksInvariants(db, "states and times are written without the events that led to them");
    ctx.clock.freeze(NOW);
  });
  beforeEach(async () => {
    store = await buildStore(ctx);
    [onMonday, onTuesday] = [await invoice(MONDAY), await invoice(TUESDAY)];
  });
  after(() => db.destroy());

  async function invoice(day: string): Promise<string> {
    const { invoice: made } = await buildInvoice(ctx, { store });
    await db.manager.update(Invoice, made.id, { createdAt: at(day), decideAt: null });
    return made.id;
  }
  const read = (calendar = UTC) => readDays(ctx, store.id, calendar, WEEK);
  const statusOn = async (day: string) => (await read()).get(day)?.created.map(({ status }) => status);
  /** Days with sums that are right, as far as the table says. */
  async function kept(): Promise<number> {
    const rows = await db.manager.findBy(DaySums, { storeId: store.id });
    const of = (row: DaySums) => rows.filter(({ beginsAt }) => beginsAt.getTime() === row.beginsAt.getTime());
    return rows.filter((row) => row.sums !== null && of(row).length === 1).length;
  }
  /** None is kept while another transaction runs, such as autovacuum's. */
  const keep = () =>
    eventually(async () => {
      await read();
      expect(await kept()).to.equal(5);
    });
  const expire = (on: { query(sql: string, values: string[]): Promise<unknown> }, id: string) =>
    on.query("UPDATE invoices SET status = 'Expired' WHERE id = $1", [id]);
  async function inTwo(work: (one: QueryRunner, other: QueryRunner) => Promise<void>): Promise<void> {
    const [one, other] = [db.createQueryRunner(), db.createQueryRunner()];
    try {
      for (const runner of [one, other]) await runner.startTransaction();
      await work(one, other);
    } finally {
      for (const runner of [one, other]) {
        if (runner.isTransactionActive) await runner.rollbackTransaction();
        await runner.release();
      }
    }
  }

  it("are counted once for days that are over, from the store's first, and each time for today", async () => {
    const counted = async () =>
      (await statementsOf(db, read)).filter(({ sql }) => sql === countSums.text).length;
    expect(await counted()).to.equal(6);
    await keep();
    expect(await counted()).to.equal(1);
    await readReport(ctx, store.id, { ...WEEK, from: "2026-01-01", by: "month", timeZone: "UTC" });
    expect(await kept()).to.equal(5);
  });

  const changes: [string, number, () => Promise<unknown>][] = [
    ["an invoice's state", 4, () => expire(db, onMonday)],
    ["a payment", 4, () => buildPayment(ctx, onMonday, { state: "confirmed", confirmedAt: at(MONDAY) })],
    [
      "a payment of an earlier day's invoice",
      3,
      () => buildPayment(ctx, onMonday, { state: "confirmed", confirmedAt: at("2026-11-26") }),
    ],
    ["a late invoice", 4, () => invoice("2026-11-25")],
    ["a refund", 4, () => buildRefund(ctx, onMonday, { refundSats: 1n, resolvedAt: at("2026-11-26") })],
    ["what no sum counts", 5, () => db.manager.update(Invoice, onMonday, { decideAt: NOW, paidSats: 1n })],
    ["a payment that is not confirmed", 5, () => buildPayment(ctx, onMonday, { state: "pending" })],
    ["today's", 5, () => buildPayment(ctx, onTuesday, { state: "pending", confirmedAt: NOW })],
  ];
  for (const [what, left, change] of changes)
    it(`are void for the days that a change concerns: ${what}`, async () => {
      await keep();
      await change();
      expect(await kept()).to.equal(left);
      await keep();
    });

  it("follow a payment that is confirmed, undone by a reorganisation and confirmed on another day", async () => {
    const { id } = await buildPayment(ctx, onMonday, { state: "confirmed", confirmedAt: at(TUESDAY) });
    const received = async () =>
      [...(await read())].filter(([, sums]) => receivedIn([sums]).onchainSats > 0n);
    const days = async () => (await received()).map(([day]) => day);
    expect(await days()).to.deep.equal([TUESDAY]);
    await db.manager.update(Payment, id, { state: "pending" });
    expect(await days()).to.deep.equal([]);
    await db.manager.update(Payment, id, { state: "confirmed", confirmedAt: at("2026-11-27") });
    expect(await days()).to.deep.equal(["2026-11-27"]);
  });

  it("are not kept while a writer who began before may still commit", async () => {
    await inTwo(async (writer) => {
      await expire(writer, onMonday);
      expect(await statusOn(MONDAY)).to.deep.equal(["New"]);
      expect(await kept()).to.equal(0);
      await writer.commitTransaction();
      expect(await statusOn(MONDAY)).to.deep.equal(["Expired"]);
    });
  });

  it("are void if a writer came between their counting and their keeping, or commits later", async () => {
    const days = [[UTC.startOf(MONDAY)], [UTC.endOf(MONDAY)]] as const;
    for (const commit of ["before", "after"]) {
      const id = await invoice(MONDAY);
      await inTwo(async (writer) => {
        const { rows } = await claimDays(db.manager, store.id, ...days);
        const [{ fence } = { fence: "" }] = (await readFence(db.manager)).rows;
        const [begin = NOW, end = NOW] = days.flat();
        const [counted] = (await countSums(db.manager, store.id, begin, end, "{}", ["New"], [], fence)).rows;
        expect(counted?.settled).to.equal(true);
        await expire(writer, id);
        if (commit === "before") await writer.commitTransaction();
        const claims = rows.map((row) => row.id);
        await keepSums(db.manager, store.id, ...days, claims, [JSON.stringify(counted?.sums)]);
        if (commit === "after") await writer.commitTransaction();
      });
      expect(await statusOn(MONDAY), commit).to.include("Expired");
    }
  });

  it("let writers of the same days, and a reader, go on without waiting for each other", async () => {
    const [monday, tuesday] = [await invoice(MONDAY), await invoice(TUESDAY)];
    await keep();
    await inTwo(async (one, other) => {
      await expire(one, onMonday);
      await expire(other, onTuesday);
      await expire(one, tuesday);
      await expire(other, monday);
      await read();
      await one.commitTransaction();
      await read();
      await other.commitTransaction();
    });
    expect(await statusOn(MONDAY)).to.deep.equal(["Expired"]);
    expect(await statusOn(TUESDAY)).to.deep.equal(["Expired"]);
  });

  it("find a day by its index when something changes", async () => {
    await keep();
    await db.transaction(async (manager) => {
      // The trigger's plan and the counts are the session's, which has read small tables before.
      await manager.query("SET LOCAL enable_seqscan = off");
      await manager.query("DISCARD PLANS");
      const scans = () =>
        manager.query<object[]>(
          "SELECT seq_scan::int, seq_tup_read::int FROM pg_stat_xact_user_tables WHERE relname = 'day_sums'",
        );
      const before = await scans();
      await expire(manager, onMonday);
      expect(await scans()).to.deep.equal(before);
    });
  });

  it("are right after readers of several time zones and writers at the same time", async function () {
    this.timeout(120_000);
    const zones = ["UTC", "America/Havana", "Pacific/Auckland"].map(calendarIn);
    const days = ["2026-11-22", MONDAY, TUESDAY, "2026-11-25", "2026-11-26", "2026-11-27"];
    const invoices = [onMonday, onTuesday];
    for (const day of days) invoices.push(await invoice(day));
    const payments: string[] = [];
    for (const id of invoices) payments.push((await buildPayment(ctx, id)).id);
    const write = fc.record({
      invoice: fc.nat(invoices.length - 1),
      status: fc.constantFrom("Expired", "Settled", "Invalid"),
      day: fc.constantFrom(...days),
      pays: fc.boolean(),
    });
    const transactions = fc.sample(fc.array(write, { minLength: 1, maxLength: 4 }), {
      numRuns: 120,
      seed: 45,
    });
    const writer = async (from: number) => {
      for (let n = from; n < transactions.length; n += 3)
        await db.transaction(async (manager) => {
          // As in the service, where all locks are taken in one order.
          const writes = (transactions[n] ?? []).toSorted((one, other) => one.invoice - other.invoice);
          for (const { invoice: of, status, day, pays } of writes) {
            await manager.update(Invoice, { id: invoices[of] ?? "" }, { status });
            const state = pays ? "confirmed" : "pending";
            await manager.update(Payment, { id: payments[of] ?? "" }, { state, confirmedAt: at(day) });
          }
        });
    };
    const reader = async () => {
      for (let n = 0; n < 12; n += 1) for (const zone of zones) await read(zone);
    };
    await Promise.all([writer(0), writer(1), writer(2), reader(), reader()]);
    for (const zone of zones) {
      const again: Map<string, Sums> = await read(zone);
      await db.manager.delete(DaySums, { storeId: store.id });
      expect([...again]).to.deep.equal([...(await read(zone))]);
    }
  });
});
