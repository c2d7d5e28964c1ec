import { expect } from "chai";
import type { DataSource } from "typeorm";
import type { CommandContext } from "../../../commands/context";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { eraseInvoice } from "../../../commands/invoices/erase-invoice";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import type { JobOutcome } from "../../../commands/jobs";
import type { SendWebhook, WebhookAnswer } from "../../../commands/ports";
import { OLDEST_DELIVERIES } from "../../../commands/installation/metrics-queries";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { retryFromBoard } from "../../../commands/webhooks/retry-from-board";
import { changeDialectWebhook } from "../../../commands/webhooks/change-dialect-webhook";
import { changeWebhook } from "../../../commands/webhooks/change-webhook";
import type { DialectSettings } from "../../../commands/webhooks/create-webhook";
import { deleteWebhook } from "../../../commands/webhooks/delete-webhook";
import { interruptStuckAttempts } from "../../../commands/webhooks/interrupt-stuck-attempts";
import { sweepDeliveries } from "../../../commands/webhooks/release";
import { redeliverWebhook, redeliverWebhooks } from "../../../commands/webhooks/redeliver-webhook";
import { testWebhook } from "../../../commands/webhooks/test-webhook";
import { createDataSource } from "../../../database/data-source";
import type { DomainError } from "../../../domain/errors";
import { RETRY_SECONDS } from "../../../domain/webhook/claim";
import { Alert } from "../../../entities/alert";
import type { Store } from "../../../entities/store";
import { WebhookAttempt } from "../../../entities/webhook-attempt";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { testContext, type TestContext } from "../../support/context";
import { testDatabaseUrl } from "../../support/database";
import { eventually } from "../../support/eventually";
import { buildInvoice, buildPayment, buildStore, buildWebhook } from "../../support/factories";
import { checkInvariants } from "../../support/invariants";
import { startReceiver, type Answer, type Receiver } from "../../support/receiver";
import { buildShopWebhook, shopEventOf, shopSignatureHolds } from "../../support/shop-webhook";

const HOOK = "/shop";
const AWAY: Answer = { kind: "status", status: 503 };
const BACK: Answer = { kind: "status", status: 200 };
const AGAIN: JobOutcome = { kind: "done", reason: "failed, and will be sent again" };
const NOT_DUE: JobOutcome = { kind: "done", reason: "already failed" };
const UNSENT = {
  outcome: "failed",
  httpStatus: null,
  error: "timeout",
  durationMs: 1,
  responseBody: null,
  resolvedIp: null,
} as const;

describe("automatic redelivery to webhooks of shop plugins", () => {
  let databaseUrl: string;
  let db: DataSource;
  let ctx: TestContext;
  let receiver: Receiver;
  let store: Store;
  let webhookId: string;

  before(async () => {
    databaseUrl = await testDatabaseUrl();
    db = await createDataSource({ databaseUrl, poolMax: 20, applicationName: "test" }).initialize();
  });
  beforeEach(async () => {
    await db.query(
      "TRUNCATE webhooks, webhook_deliveries, webhook_attempts, invoice_events, invoices, payments, alerts",
    );
    ctx = await testContext({ db });
    receiver = await startReceiver();
    store = await buildStore(ctx);
    webhookId = await buildShopWebhook(ctx, store, receiver.url + HOOK);
    receiver.answer(HOOK, AWAY);
  });
  afterEach(async () => {
    await receiver.close();
    await checkInvariants(db, receiver);
  });
  after(() => db.destroy());

  /** The delivery of a new invoice's event. */
  async function delivery(): Promise<WebhookDelivery> {
    const { invoice } = await buildInvoice(ctx, { store });
    return db.manager.findOneByOrFail(WebhookDelivery, { invoiceId: invoice.id, webhookId });
  }
  /** Deliveries of an invoice that was made, then marked Settled and Invalid; the first is delivered. */
  async function three(): Promise<[WebhookDelivery, WebhookDelivery, WebhookDelivery]> {
    const first = await delivery();
    receiver.answer(HOOK, BACK);
    await attempt(first.id);
    receiver.answer(HOOK, AWAY);
    for (const status of ["Settled", "Invalid"] as const)
      await markInvoice(ctx, store.id, first.invoiceId, { status });
    const [one, two, last] = await db.manager.find(WebhookDelivery, {
      where: { invoiceId: first.invoiceId },
      order: { eventSeq: "ASC" },
    });
    if (!one || !two || !last) throw new Error("a delivery is missing");
    return [one, two, last];
  }
  const again = (id: string): Promise<WebhookDelivery> => db.manager.findOneByOrFail(WebhookDelivery, { id });
  /** Then nothing waits for its retries any more. */
  async function failThrice(id: string): Promise<void> {
    for (const seconds of [10, 60, 0]) {
      await attempt(id);
      ctx.clock.advance(seconds * 1_000);
    }
  }
  /** What the shop took, in this order. */
  const arrived = (): string[] =>
    receiver
      .at(HOOK)
      .filter(({ answered }) => answered === 200)
      .map((request) => shopEventOf(request).type);
  const attemptsOf = (deliveryId: string): Promise<WebhookAttempt[]> =>
    db.manager.find(WebhookAttempt, { where: { deliveryId }, order: { number: "ASC" } });
  const causesOf = async (id: string): Promise<string[]> => (await attemptsOf(id)).map(({ cause }) => cause);
  /** A job of a delivery that was released if it may be sent. */
  const attempt = async (id: string, context: CommandContext = ctx): Promise<JobOutcome> => {
    await sweepDeliveries(context);
    return attemptWebhook(context, { deliveryId: id });
  };
  const change = (changes: Partial<DialectSettings & { enabled: boolean }>) =>
    changeDialectWebhook(
      ctx,
      { storeId: store.id, webhookId },
      {
        url: receiver.url + HOOK,
        enabled: true,
        automaticRedelivery: true,
        specificEvents: null,
        secret: null,
        ...changes,
      },
    );

  it("sends the same bytes after 10 s, a minute, and six times ten minutes, and then fails", async () => {
    const { id } = await delivery();
    for (const [count, seconds] of RETRY_SECONDS.entries()) {
      const { id: _, ...before } = await again(id);
      const outcome = await attempt(id);
      expect(outcome).to.deep.equal(AGAIN);
      const after = await again(id);
      expect(after).to.include({
        state: "failed",
        error: "http-503",
        attemptCount: count + 1,
        retryCount: count,
      });
      const since = before.retryAt ?? before.createdAt;
      expect(after.retryAt?.getTime()).to.be.at.least(since.getTime() + seconds * 1_000);
      ctx.clock.freeze(new Date((after.retryAt?.getTime() ?? NaN) - 1));
      expect(await attempt(id)).to.deep.equal(NOT_DUE);
      expect(receiver.at(HOOK)).to.have.length(count + 1);
      ctx.clock.advance(1);
    }
    expect(await attempt(id)).to.deep.equal({ kind: "failed", code: "http-503" });
    expect(await again(id)).to.include({
      state: "failed",
      retryAt: null,
      attemptCount: 9,
      requestedAttempt: 9,
    });
    ctx.clock.advance(86_400_000);
    expect(await attempt(id)).to.deep.equal({ kind: "failed", code: "http-503" });
    expect(await sweepDeliveries(ctx)).to.equal(0);
    const requests = receiver.at(HOOK);
    expect(requests).to.have.length(9);
    expect(new Set(requests.map(({ body }) => body.toString())).size).to.equal(1);
    expect(requests.every((request) => shopSignatureHolds(request))).to.equal(true);
    expect(requests.map(({ headers }) => headers["x-service-attempt"])).to.deep.equal([..."123456789"]);
    expect(await causesOf(id)).to.deep.equal(Array(9).fill("automatic"));
    const alerts = await db.manager.findBy(Alert, { kind: "deliveries-failing" });
    expect(alerts.map(({ message }) => message).join()).to.include("retried automatically for an hour");
  });

  it("sends again what was not answered, and what was answered 408, 429 or 5xx, and nothing else", async () => {
    const answers: [Answer, boolean][] = [
      [{ kind: "reset" }, true],
      ...[408, 429, 500].map((status): [Answer, boolean] => [{ kind: "status", status }, true]),
      ...[302, 400, 401, 404, 410].map((status): [Answer, boolean] => [{ kind: "status", status }, false]),
    ];
    for (const [answer, retried] of answers) {
      receiver.answer(HOOK, answer);
      const { id } = await delivery();
      expect((await attempt(id)).kind, JSON.stringify(answer)).to.equal(retried ? "done" : "failed");
      expect((await again(id)).retryAt !== null).to.equal(retried);
    }
  });

  it("makes one request of many jobs and sweeps at the same time, in two processes", async () => {
    const { id } = await delivery();
    await attempt(id);
    ctx.clock.advance(10_000);
    receiver.answer(HOOK, { kind: "status", status: 200, holdMs: 300 });
    const other = await createDataSource({ databaseUrl, poolMax: 10, applicationName: "other" }).initialize();
    const otherCtx = await testContext({ db: other, now: ctx.now });
    await Promise.all([
      ...Array.from({ length: 20 }, () => attempt(id)),
      ...Array.from({ length: 20 }, () => attempt(id, otherCtx)),
      // A release waits 2 s for another; the sweep comes again.
      ...[ctx, otherCtx].map((each) => eventually(() => sweepDeliveries(each))),
    ]);
    await eventually(async () => (await again(id)).state === "delivered");
    expect(receiver.at(HOOK)).to.have.length(2);
    expect(await again(id)).to.include({ attemptCount: 2, retryCount: 1 });
    await other.destroy();
  });

  it("gives a shop 30 s, in which it sends mail and books stock, and a native webhook 10 s", async () => {
    const { webhookId: native } = await buildWebhook(ctx, store, `${receiver.url}/native`);
    receiver.answer(HOOK, { kind: "status", status: 200, holdMs: 11_000 });
    receiver.answer("/native", { kind: "hang" });
    const { id, invoiceId } = await delivery();
    const other = await db.manager.findOneByOrFail(WebhookDelivery, { invoiceId, webhookId: native });
    const outcomes = Promise.all([attempt(id), attempt(other.id)]);
    await eventually(async () => {
      const rows = await db.manager.findBy(WebhookAttempt, { state: "sending" });
      expect(rows).to.have.length(2);
    });
    for (const [seconds, dead] of [
      [14, 0],
      [34, 1],
    ] as const) {
      ctx.clock.advance(seconds * 1_000);
      expect(await interruptStuckAttempts(ctx), `after ${seconds} s`).to.equal(dead);
      ctx.clock.advance(-seconds * 1_000);
    }
    expect([(await again(id)).state, (await again(other.id)).error]).to.deep.equal([
      "sending",
      "interrupted",
    ]);
    expect(await outcomes).to.deep.equal([
      { kind: "done", reason: "delivered" },
      { kind: "failed", code: "timeout" },
    ]);
  });

  describe("when the process died while sending", () => {
    /** The request was received; its process records nothing. */
    async function died(answer: Answer): Promise<{ id: string; late: () => Promise<JobOutcome> }> {
      receiver.answer(HOOK, answer);
      const { id } = await delivery();
      let arrive = (): void => undefined;
      const later = new Promise<void>((resolve) => (arrive = resolve));
      const sendWebhook: SendWebhook = async (request) => {
        const got: WebhookAnswer = await ctx.sendWebhook(request);
        await later;
        return got;
      };
      const run = attempt(id, { ...ctx, sendWebhook });
      await eventually(() => receiver.at(HOOK).length === 1);
      await eventually(async () => (await again(id)).state === "sending");
      ctx.clock.advance(36_000);
      expect(await interruptStuckAttempts(ctx)).to.equal(1);
      return { id, late: () => (arrive(), run) };
    }

    it("sends it again, since nobody knows whether it was answered", async () => {
      const { id, late } = await died(BACK);
      expect(await again(id)).to.include({ state: "failed", error: "interrupted" });
      ctx.clock.advance(10_000);
      expect(await attempt(id)).to.deep.equal({ kind: "done", reason: "delivered" });
      const [first, second] = receiver.at(HOOK);
      expect(second && first?.body.equals(second.body)).to.equal(true);
      expect((await attemptsOf(id)).map(({ error }) => error)).to.deep.equal(["interrupted", null]);
      await late(); // its own attempt alone
      expect(await again(id)).to.include({ state: "delivered", attemptCount: 2, requestedAttempt: 2 });
    });

    it("sends it not again when its answer came after all", async () => {
      const { id, late } = await died(BACK);
      expect(await late()).to.deep.equal({ kind: "done", reason: "delivered" });
      ctx.clock.advance(3_600_000);
      await sweepDeliveries(ctx);
      await attempt(id);
      expect(await again(id)).to.include({ state: "delivered", retryAt: null });
      expect(receiver.at(HOOK)).to.have.length(1);
    });
  });

  describe("and the invoice's later events", () => {
    it("wait for its first two retries, and arrive in their order after a restart of the shop", async () => {
      const [, two, last] = await three();
      for (const seconds of [10, 60]) {
        expect(await attempt(two.id)).to.deep.equal(AGAIN);
        expect(await attempt(last.id)).to.deep.equal({ kind: "done", reason: "already pending" });
        expect(await sweepDeliveries(ctx)).to.equal(0);
        ctx.clock.advance(seconds * 1_000);
      }
      receiver.answer(HOOK, BACK);
      ctx.jobs.length = 0;
      await attempt(two.id);
      expect(ctx.jobsOf("webhook-delivery").at(-1)).to.deep.equal({ deliveryId: last.id, attempt: 1 });
      await attempt(last.id);
      expect(arrived()).to.deep.equal(["InvoiceCreated", "InvoiceSettled", "InvoiceInvalid"]);
    });

    it("wait no longer, and a retry that would set the shop back ends as skipped", async () => {
      const [, two, last] = await three();
      await failThrice(two.id);
      receiver.answer(HOOK, { kind: "status", status: 200, holdMs: 300 });
      const sent = attempt(last.id);
      await eventually(async () => (await again(last.id)).state === "sending");
      ctx.clock.advance(600_000);
      expect(await attempt(two.id)).to.deep.equal(NOT_DUE);
      expect(await sent).to.deep.equal({ kind: "done", reason: "delivered" });
      expect(await attempt(two.id)).to.deep.equal({ kind: "done", reason: "skipped: overtaken" });
      expect(await again(two.id)).to.include({
        state: "skipped",
        error: "overtaken",
        retryAt: null,
        attemptCount: 3,
      });
      expect(arrived()).to.deep.equal(["InvoiceCreated", "InvoiceInvalid"]);
      await redeliverWebhook(ctx, { storeId: store.id, deliveryId: two.id });
      expect(await attempt(two.id)).to.deep.equal({ kind: "done", reason: "delivered" });
    });

    it("are sent while a type that the shop answers 500 to is retried", async () => {
      const { invoice } = await buildInvoice(ctx, { store });
      await buildPayment(ctx, invoice.id, { state: "confirmed" });
      await changeInvoice(ctx, invoice.id);
      const rows = await db.manager.find(WebhookDelivery, {
        where: { invoiceId: invoice.id },
        order: { eventSeq: "ASC", part: "ASC" },
      });
      expect(rows.map(({ dialectType }) => dialectType)).to.deep.equal([
        "InvoiceCreated",
        "InvoiceReceivedPayment",
        "InvoiceProcessing",
        "InvoicePaymentSettled",
        "InvoiceSettled",
      ]);
      for (const { id, dialectType } of rows) {
        receiver.answer(HOOK, dialectType === "InvoiceReceivedPayment" ? AWAY : BACK);
        await (dialectType === "InvoiceReceivedPayment" ? failThrice(id) : attempt(id));
      }
      const after = await Promise.all(rows.map(({ id }) => again(id)));
      expect(after.map(({ state }) => state)).to.deep.equal([
        "delivered",
        "failed",
        "delivered",
        "delivered",
        "delivered",
      ]);
      // It reports a payment, which no later event replaces.
      const [, received] = rows;
      ctx.clock.advance(600_000);
      receiver.answer(HOOK, BACK);
      expect(await attempt(received?.id ?? "")).to.deep.equal({ kind: "done", reason: "delivered" });
    });

    it("are in the metrics of what waits, however many retries wait beside them", async () => {
      const [, two, last] = await three();
      await attempt(two.id);
      await db.query("UPDATE webhook_deliveries SET created_at = now() - interval '1 hour' WHERE id = $1", [
        last.id,
      ]);
      const { rows } = await OLDEST_DELIVERIES.read(db.manager);
      expect(rows.find(({ state }) => state === "pending")?.value).to.be.greaterThan(3_500);
    });
  });

  describe("ends", () => {
    const ends: [string, () => Promise<unknown>][] = [
      ["when the plugin asks for it no longer", () => change({ automaticRedelivery: false })],
      ["when the plugin disables the webhook", () => change({ enabled: false })],
      [
        "when a person disables the webhook",
        () => changeWebhook(ctx, store.id, webhookId, { enabled: false }),
      ],
      ["when the webhook is deleted", () => deleteWebhook(ctx, store.id, webhookId)],
    ];
    for (const [when, end] of ends)
      it(when, async () => {
        const [, two] = await three();
        await attempt(two.id);
        await end();
        expect(await again(two.id)).to.include({ state: "failed", retryAt: null });
        receiver.answer(HOOK, BACK);
        ctx.clock.advance(10_000);
        expect(await attempt(two.id)).to.deep.equal({ kind: "failed", code: "http-503" });
        await sweepDeliveries(ctx);
        expect((await again(two.id)).attemptCount).to.equal(1);
      });

    it("also when it was requested already", async () => {
      for (const end of [() => change({ enabled: false }), () => change({ automaticRedelivery: false })]) {
        await change({});
        const { id } = await delivery();
        await attempt(id);
        ctx.clock.advance(10_000);
        await sweepDeliveries(ctx);
        expect((await again(id)).state).to.equal("queued");
        await end();
        expect((await attempt(id)).kind).to.equal("done");
        // As the attempt that was made ended: a redelivery of all that failed includes it.
        expect(await again(id)).to.include({
          state: "failed",
          error: "http-503",
          httpStatus: 503,
          attemptCount: 1,
          retryAt: null,
        });
        expect(receiver.of(id)).to.have.length(1);
        expect(await redeliverWebhooks(ctx, { storeId: store.id, webhookId }, {})).to.equal(1);
        receiver.answer(HOOK, BACK);
        await attempt(id);
        expect(receiver.of(id)).to.have.length(2);
        receiver.answer(HOOK, AWAY);
      }
    });
  });

  describe("by hand", () => {
    it("does not wait for the time of the next automatic one, which comes after it when it fails too", async () => {
      const { id } = await delivery();
      await attempt(id);
      await redeliverWebhook(ctx, { storeId: store.id, deliveryId: id });
      expect(await again(id)).to.include({ state: "queued", requestedAttempt: 2, retryAt: null });
      expect(await attempt(id)).to.deep.equal(AGAIN);
      ctx.clock.advance(10_000);
      receiver.answer(HOOK, BACK);
      await attempt(id);
      expect(await causesOf(id)).to.deep.equal(["automatic", "manual", "automatic"]);
      expect(await again(id)).to.include({ state: "delivered", retryAt: null });
    });

    it("takes those that wait together with all others that failed", async () => {
      const { id } = await delivery();
      await attempt(id);
      expect(await redeliverWebhooks(ctx, { storeId: store.id, webhookId }, {})).to.equal(1);
      expect(await again(id)).to.include({ state: "queued", requestedAttempt: 2, retryAt: null });
      receiver.answer(HOOK, BACK);
      await attempt(id);
      expect(await causesOf(id)).to.deep.equal(["automatic", "manual"]);
    });

    it("goes by the queues' board too, under the number behind all that were used", async () => {
      const { id } = await delivery();
      await db.manager.update(WebhookDelivery, id, { retryCount: RETRY_SECONDS.length });
      await attempt(id);
      expect(await retryFromBoard(ctx, id)).to.equal(true);
      expect(await again(id)).to.include({ requestedAttempt: 2 });
      receiver.answer(HOOK, BACK);
      expect((await attempt(id)).kind).to.equal("done");
      expect(await causesOf(id)).to.deep.equal(["automatic", "manual"]);
    });
  });

  it("does not apply to a test, whether it was answered or interrupted", async () => {
    const name = { storeId: store.id, webhookId };
    const { delivery: answered } = await testWebhook(ctx, name, "Settled");
    expect(await attempt(answered.id)).to.deep.equal({ kind: "failed", code: "http-503" });
    expect(await again(answered.id)).to.include({ state: "failed", retryAt: null });
    const { delivery: cut } = await testWebhook(ctx, name, "Settled");
    const sendWebhook: SendWebhook = async () => {
      ctx.clock.advance(36_000);
      expect(await interruptStuckAttempts(ctx)).to.equal(1);
      return UNSENT;
    };
    await attempt(cut.id, { ...ctx, sendWebhook });
    expect(await again(cut.id)).to.include({ state: "failed", retryAt: null });
  });

  it("keeps the customer's data until it is over, and an erasure says so", async () => {
    const { id, invoiceId } = await delivery();
    await attempt(id);
    const refused: unknown = await eraseInvoice(ctx, store.id, invoiceId).catch((error: unknown) => error);
    expect((refused as DomainError).code).to.equal("delivery-in-progress");
    await change({ automaticRedelivery: false });
    await eraseInvoice(ctx, store.id, invoiceId);
  });
});
