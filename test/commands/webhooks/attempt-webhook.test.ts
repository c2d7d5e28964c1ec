import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeSecretBox } from "../../../adapters/crypto";
import { type AttemptStart, beginAttempts } from "../../../commands/webhooks/attempt-queries";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import type { CommandContext } from "../../../commands/context";
import { interruptStuckAttempts } from "../../../commands/webhooks/interrupt-stuck-attempts";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { sweepDeliveries } from "../../../commands/webhooks/release";
import type { JobOutcome } from "../../../commands/jobs";
import type { SendWebhook, WebhookAnswer } from "../../../commands/ports";
import { redeliverWebhook } from "../../../commands/webhooks/redeliver-webhook";
import { webhookSecretPlace } from "../../../commands/server/sealed-places";
import { createDataSource } from "../../../database/data-source";
import { jsonRows } from "../../../database/insert-rows";
import { Alert } from "../../../entities/alert";
import { InvoiceEvent } from "../../../entities/invoice-event";
import type { Store } from "../../../entities/store";
import { Webhook } from "../../../entities/webhook";
import { WebhookAttempt } from "../../../entities/webhook-attempt";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import { recordingLog, TEST_APP_SECRET, testContext, type TestContext } from "../../support/context";
import { testDatabaseUrl } from "../../support/database";
import { eventually } from "../../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../../support/factories";
import { startGate } from "../../support/gate";
import { checkInvariants } from "../../support/invariants";
import {
  serviceSignatureHolds,
  standardSignatureHolds,
  startReceiver,
  type Receiver,
} from "../../support/receiver";

const UNREADABLE: JobOutcome = { kind: "done", reason: "waits for a process that can read its secret" };

describe("attempt-webhook", () => {
  let databaseUrl: string;
  let db: DataSource;
  let ctx: TestContext;
  let receiver: Receiver;
  let paths = 0;

  before(async () => {
    databaseUrl = await testDatabaseUrl();
    db = await createDataSource({ databaseUrl, poolMax: 20, applicationName: "test" }).initialize();
  });
  beforeEach(async () => {
    for (const entity of [WebhookAttempt, WebhookDelivery, Webhook, InvoiceEvent, Alert])
      await db.manager.clear(entity);
    await db.query("TRUNCATE invoices, payments");
    ctx = await testContext({ db });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await receiver.close();
    await checkInvariants(db, receiver);
  });
  after(() => db.destroy());

  interface Hook {
    store: Store;
    path: string;
    webhookId: string;
    secret: string;
  }
  async function hook(given?: Store): Promise<Hook> {
    const store = given ?? (await buildStore(ctx));
    const path = `/hook-${(paths += 1)}`;
    return { store, path, ...(await buildWebhook(ctx, store, receiver.url + path)) };
  }
  /** The delivery of a new invoice's first event. */
  async function delivery({ store, webhookId }: Hook): Promise<WebhookDelivery> {
    const { invoice } = await buildInvoice(ctx, { store });
    return db.manager.findOneByOrFail(WebhookDelivery, { invoiceId: invoice.id, webhookId });
  }
  /** For an answer that comes when we say so. */
  function hold(): { until: Promise<void>; release: () => void } {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    return { until, release };
  }
  const again = (id: string): Promise<WebhookDelivery> => db.manager.findOneByOrFail(WebhookDelivery, { id });
  const attemptsOf = (deliveryId: string): Promise<WebhookAttempt[]> =>
    db.manager.find(WebhookAttempt, { where: { deliveryId }, order: { number: "ASC" } });
  const msAfter = (begun: WebhookAttempt | undefined, ms: number): Date =>
    new Date((begun?.startedAt.getTime() ?? NaN) + ms);
  const attempt = (id: string, context: CommandContext = ctx) => attemptWebhook(context, { deliveryId: id });

  it("posts the event's bytes with both signatures and records the answer", async () => {
    const one = await hook();
    const { id, storeId, eventId } = await delivery(one);
    receiver.answer(one.path, { kind: "status", status: 202, body: "thanks" });
    expect(await attempt(id)).to.deep.equal({ kind: "done", reason: "delivered" });
    const [request] = receiver.at(one.path);
    const { body } = await db.manager.findOneByOrFail(InvoiceEvent, { id: eventId });
    expect(request?.body.equals(body ?? Buffer.alloc(0))).to.equal(true);
    expect(request && serviceSignatureHolds(request, one.secret)).to.equal(true);
    expect(request && standardSignatureHolds(request, one.secret)).to.equal(true);
    expect(request?.headers).to.include({
      "content-type": "application/json",
      "user-agent": "Quittance/test",
      "x-service-event-id": eventId,
      "x-service-delivery-id": id,
      "x-service-store-id": storeId,
      "x-service-attempt": "1",
      "webhook-id": eventId,
    });
    expect(await again(id)).to.include({ state: "delivered", attemptCount: 1, httpStatus: 202, error: null });
    const [row] = await attemptsOf(id);
    expect(row).to.include({
      cause: "automatic",
      state: "delivered",
      httpStatus: 202,
      resolvedIp: null, // it is not a public one
    });
    expect(row?.responseBody?.toString()).to.equal("thanks");
    expect(row?.durationMs).to.be.a("number");
  });

  it("commits the attempt's row before the request leaves", async () => {
    const { id } = await delivery(await hook());
    const seen: unknown[] = [];
    const sendWebhook: SendWebhook = async (request) => {
      seen.push(...(await attemptsOf(id)).map(({ number, state }) => ({ number, state })));
      return ctx.sendWebhook(request);
    };
    await attempt(id, { ...ctx, sendWebhook });
    expect(seen).to.deep.equal([{ number: 1, state: "sending" }]);
  });

  it("records each kind of endpoint fault as failed, and sends no second time", async () => {
    const one = await hook();
    receiver.answer(one.path, { kind: "status", status: 500, body: "no" });
    const refused = await delivery(one);
    expect(await attempt(refused.id)).to.deep.equal({ kind: "failed", code: "http-500" });
    receiver.answer(one.path, { kind: "reset" });
    const reset = await delivery(one);
    expect(await attempt(reset.id)).to.deep.equal({ kind: "failed", code: "connection-reset" });
    expect(await again(refused.id)).to.include({ state: "failed", httpStatus: 500, error: "http-500" });
    expect(await again(reset.id)).to.include({
      state: "failed",
      httpStatus: null,
      error: "connection-reset",
    });
    for (const { id } of [refused, reset]) await attempt(id);
    expect(receiver.at(one.path)).to.have.length(2);
  });

  it("sends one POST for 50 parallel jobs of the same number", async () => {
    const one = await hook();
    const held = hold();
    receiver.answer(one.path, { kind: "status", status: 200, holdUntil: held.until });
    const { id } = await delivery(one);
    const outcomes: JobOutcome[] = [];
    const all = Promise.all(Array.from({ length: 50 }, async () => void outcomes.push(await attempt(id))));
    await eventually(() => outcomes.length === 49);
    held.release();
    await all;
    expect(outcomes.filter((each) => each.kind === "done" && each.reason === "delivered")).to.have.length(1);
    expect(await attempt(id)).to.deep.equal({ kind: "done", reason: "already delivered" });
    expect(receiver.at(one.path)).to.have.length(1);
  });

  it("handles a job of an unknown delivery without an error", async () => {
    expect(await attempt("whd_none")).to.deep.equal({ kind: "done", reason: "no such delivery" });
  });

  it("leaves a delivery whose secret it cannot read to a worker with the other APP_SECRET, which sends it once", async () => {
    const one = await hook();
    const { id } = await delivery(one);
    const changed = {
      appSecret: "the changed secret of more than 32 characters",
      appSecretOld: TEST_APP_SECRET,
    };
    const renewed = await testContext({ db, secrets: makeSecretBox(changed) });
    const secretEncrypted = renewed.secrets.encrypt(one.secret, webhookSecretPlace(one.webhookId));
    await db.manager.update(Webhook, one.webhookId, { secretEncrypted });
    const work = { deliveryId: id };
    const alerts = () => db.manager.findBy(Alert, { kind: "secret-unreadable" });
    expect(await attemptWebhook(ctx, work)).to.deep.equal(UNREADABLE);
    expect(await attemptWebhook(ctx, work)).to.deep.equal(UNREADABLE);
    expect(await again(id)).to.include({ state: "queued", attemptCount: 0, requestedAttempt: 1 });
    expect((await alerts()).map(({ subject, resolvedAt }) => [subject, resolvedAt])).to.deep.equal([
      [one.webhookId, null],
    ]);
    const outcomes = await Promise.all(
      [ctx, renewed, ctx, renewed].map((each) => attemptWebhook(each, work)),
    );
    expect(outcomes).to.deep.include({ kind: "done", reason: "delivered" });
    expect(await attemptWebhook(ctx, work)).to.deep.equal({ kind: "done", reason: "already delivered" });
    expect(receiver.at(one.path)).to.have.length(1);
    expect(await attemptsOf(id)).to.have.length(1);
    const later = await delivery(one);
    renewed.clock.advance(600_000);
    await attemptWebhook(renewed, { deliveryId: later.id });
    expect((await alerts()).map(({ resolvedAt }) => resolvedAt !== null)).to.deep.equal([true]);
  });

  it("fails a delivery once, without an attempt, when its secret could not be read for an hour, until it is sent by hand with the right key", async () => {
    const one = await hook();
    const first = await delivery(one);
    const { secretEncrypted } = await db.manager.findOneByOrFail(Webhook, { id: one.webhookId });
    const ofAnotherKey = Buffer.from(secretEncrypted);
    ofAnotherKey.writeUInt8(ofAnotherKey.readUInt8(2) ^ 1, 2);
    await db.manager.update(Webhook, one.webhookId, { secretEncrypted: ofAnotherKey });
    expect(await attempt(first.id)).to.deep.equal(UNREADABLE);
    ctx.clock.advance(3_599_000);
    expect(await attempt(first.id)).to.deep.equal(UNREADABLE);
    ctx.clock.advance(1_000);
    expect(await attempt(first.id)).to.deep.equal({ kind: "failed", code: "secret-unreadable" });
    expect(await again(first.id)).to.include({
      state: "failed",
      error: "secret-unreadable",
      attemptCount: 0,
    });
    expect(await sweepDeliveries(ctx)).to.equal(0);
    expect(ctx.lines.filter(({ level }) => level === "error")).to.have.length(1);
    expect(await db.manager.findOneByOrFail(Webhook, { id: one.webhookId })).to.include({ failureStreak: 0 });
    expect(await db.manager.countBy(Alert, {})).to.equal(1);
    await db.manager.update(Webhook, one.webhookId, { secretEncrypted });
    await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: first.id });
    await attempt(first.id);
    expect(await again(first.id)).to.include({ state: "delivered", error: null });
    expect(receiver.at(one.path)).to.have.length(1);
  });

  it("keeps the secret and the URL out of rows, logs and outcomes", async () => {
    const one = await hook();
    await db.manager.update(Webhook, one.webhookId, { url: `${receiver.url}${one.path}?token=hunter2` });
    receiver.answer(`${one.path}?token=hunter2`, { kind: "reset" });
    const { id } = await delivery(one);
    const broken: SendWebhook = () => Promise.reject(new Error(`cannot send to ${one.secret} hunter2`));
    const outcomes = [await attempt(id)];
    await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: id });
    outcomes.push(await attempt(id, { ...ctx, sendWebhook: broken }));
    expect(outcomes[1]).to.deep.equal({ kind: "failed", code: "internal-error" });
    const kept = JSON.stringify([ctx.lines, outcomes, await again(id), await attemptsOf(id), ctx.jobs]);
    const { secretEncrypted } = await db.manager.findOneByOrFail(Webhook, { id: one.webhookId });
    for (const text of [kept, secretEncrypted.toString("latin1")])
      for (const secret of [one.secret, one.secret.slice(6), "hunter2"]) expect(text).to.not.include(secret);
  });

  it("skips due deliveries while the webhook is disabled or deleted, and sends them by hand", async () => {
    const one = await hook();
    const disabled = await delivery(one);
    const deleted = await delivery(one);
    await db.manager.update(Webhook, one.webhookId, { enabled: false });
    expect((await attempt(disabled.id)).kind).to.equal("done");
    await db.manager.update(Webhook, one.webhookId, { enabled: true, deletedAt: await ctx.now(db.manager) });
    expect((await attempt(deleted.id)).kind).to.equal("done");
    for (const { id } of [disabled, deleted]) {
      expect(await again(id)).to.include({ state: "skipped", attemptCount: 0 });
      expect((await attempt(id)).kind).to.equal("done");
    }
    expect(receiver.at(one.path)).to.have.length(0);
    for (const { id } of [disabled, deleted]) {
      await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: id });
      expect((await attempt(id)).kind).to.equal("done");
      expect(await again(id)).to.include({ state: "delivered", attemptCount: 1 });
      expect((await attemptsOf(id)).map(({ cause }) => cause)).to.deep.equal(["manual"]);
    }
  });

  it("holds an invoice's next event back until the previous one was delivered or failed, and then wakes it", async () => {
    const one = await hook();
    const first = await delivery(one);
    await markInvoice(ctx, one.store.id, first.invoiceId, { status: "Settled" });
    const [, second] = await db.manager.find(WebhookDelivery, {
      where: { invoiceId: first.invoiceId },
      order: { eventSeq: "ASC" },
    });
    if (!second) throw new Error("the second delivery is missing");
    expect(await attempt(second.id)).to.deep.equal({ kind: "done", reason: "already pending" });
    const held = hold();
    receiver.answer(one.path, { kind: "status", status: 500, holdUntil: held.until });
    const sending = attempt(first.id);
    await eventually(async () => (await again(first.id)).state === "sending");
    await sweepDeliveries(ctx);
    expect((await again(second.id)).state).to.equal("pending");
    ctx.jobs.length = 0;
    held.release();
    await sending;
    expect(ctx.jobsOf("webhook-delivery")).to.deep.equal([{ deliveryId: second.id, attempt: 1 }]);
    await attempt(second.id);
    expect(
      receiver.at(one.path).map(({ body }) => (JSON.parse(body.toString()) as { type: string }).type),
    ).to.deep.equal(["New", "Settled"]);
  });

  it("begins nothing of a delivery that has changed, nor a number twice, and what it began once again", async () => {
    const one = await hook();
    const start = ({ id: deliveryId }: WebhookDelivery, number = 1) => ({
      ...{
        deliveryId,
        number,
        cause: "automatic" as const,
        headers: {},
        claim: randomBytes(16).toString("hex"),
      },
    });
    const [sent, skipped, erased, own] = await Promise.all([1, 2, 3, 4].map(() => delivery(one)));
    if (!sent || !skipped || !erased || !own) throw new Error("a delivery is missing");
    await attempt(sent.id);
    await db.manager.update(WebhookDelivery, skipped.id, { state: "skipped" });
    await db.manager.update(InvoiceEvent, erased.eventId, { body: null });
    const mine = start(own);
    const begun = async (...starts: AttemptStart[]): Promise<string[]> =>
      (await beginAttempts(db.manager, jsonRows(starts))).rows.map(({ claim }) => claim);
    const tries = [start(sent), start(skipped), start(erased), start(own, 2), mine, mine];
    expect(await begun(...tries)).to.deep.equal([mine.claim]);
    expect(await begun(start(own)), "in another process").to.deep.equal([]);
    expect(await begun(mine), "when its answer was lost").to.deep.equal([mine.claim]);
    expect(await attemptsOf(own.id)).to.have.length(1);
    expect(await again(own.id)).to.include({ state: "sending", attemptCount: 1 });
    expect(await again(sent.id)).to.include({ state: "delivered", attemptCount: 1 });
    await db.manager.update(WebhookDelivery, erased.id, { state: "skipped" });
    ctx.clock.advance(16_000);
    expect(await interruptStuckAttempts(ctx)).to.equal(1);
  });

  it("records failures two at a time, and others at once", async () => {
    const settings = { databaseUrl, poolMax: 5, applicationName: "worker" };
    const own = await createDataSource(settings).initialize();
    const worker = await testContext({ db: own });
    const failing = await Promise.all(Array.from({ length: 8 }, () => hook()));
    const rows = await Promise.all(failing.map(delivery));
    for (const { path } of failing) receiver.answer(path, { kind: "status", status: 500 });
    const other = await delivery(await hook());
    const blocker = db.createQueryRunner();
    await blocker.startTransaction();
    await blocker.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await blocker.query("SELECT FROM webhooks WHERE id = ANY($1) FOR NO KEY UPDATE", [
      failing.map(({ webhookId }) => webhookId),
    ]);
    const waiting = async (): Promise<number> => {
      const rows = await db.query<unknown[]>(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length;
    };
    const attempts = rows.map(({ id }) => attempt(id, worker));
    await eventually(async () => (await waiting()) === 2);
    await eventually(() => failing.every(({ path }) => receiver.at(path).length === 1));
    const done = attempt(other.id, worker);
    // Less than a statement waits for a lock.
    const first = await Promise.race([done, sleep(8_000, "nothing", { ref: false })]);
    expect(first).to.deep.equal({ kind: "done", reason: "delivered" });
    expect(await waiting()).to.be.at.most(2);
    await blocker.rollbackTransaction();
    await blocker.release();
    for (const outcome of await Promise.all(attempts))
      expect(outcome).to.deep.equal({ kind: "failed", code: "http-500" });
    await own.destroy();
  });

  it("sends an attempt whose commit was not answered", async () => {
    const { id } = await delivery(await hook());
    const gate = await startGate(databaseUrl);
    const own = await createDataSource({
      databaseUrl: gate.url,
      poolMax: 2,
      applicationName: "cut",
    }).initialize();
    const worker = await testContext({ db: own });
    const { secrets } = worker;
    // The read is over: the next statement begins the attempt.
    const decrypt: typeof secrets.decrypt = (...sealed) => {
      gate.loseAnswers();
      return secrets.decrypt(...sealed);
    };
    const run = attempt(id, { ...worker, secrets: { ...secrets, decrypt } });
    await eventually(async () => expect((await again(id)).state).to.equal("sending"));
    await gate.shut(); // as a fail-over does
    await gate.open();
    expect(await run).to.deep.equal({ kind: "done", reason: "delivered" });
    expect(receiver.of(id)).to.have.length(1);
    await own.destroy();
    await gate.shut();
  });

  it("sends an attempt that somebody's lock delayed for longer than a statement may take", async () => {
    const { id } = await delivery(await hook());
    const other = db.createQueryRunner();
    await other.startTransaction();
    await other.query("SELECT 1 FROM webhook_deliveries WHERE id = $1 FOR UPDATE", [id]);
    const run = attempt(id, ctx);
    await sleep(5_000);
    await other.commitTransaction();
    await other.release();
    expect(await run).to.deep.equal({ kind: "done", reason: "delivered" });
    expect(receiver.of(id)).to.have.length(1);
    expect(await again(id)).to.include({ state: "delivered", attemptCount: 1 });
  });

  it("counts failures in a row, alerts once from the third on, and resolves after a success", async () => {
    const one = await hook();
    receiver.answer(one.path, { kind: "status", status: 500 });
    const streak = async (): Promise<number> =>
      (await db.manager.findOneByOrFail(Webhook, { id: one.webhookId })).failureStreak;
    const alerts = () => db.manager.findBy(Alert, { kind: "deliveries-failing", subject: one.webhookId });
    for (let n = 1; n <= 4; n += 1) {
      await attempt((await delivery(one)).id);
      expect(await streak()).to.equal(n);
      expect(await alerts()).to.have.length(n < 3 ? 0 : 1);
    }
    expect((await alerts())[0]).to.include({ storeId: one.store.id, resolvedAt: null });
    receiver.answer(one.path, { kind: "status", status: 200 });
    await attempt((await delivery(one)).id);
    expect(await streak()).to.equal(0);
    expect((await alerts())[0]?.resolvedAt).to.be.an.instanceOf(Date);
  });

  it("marks an attempt interrupted when its worker died while sending, and sends it no second time", async () => {
    const one = await hook();
    const { id } = await delivery(one);
    const dies: SendWebhook = () => new Promise(() => undefined);
    void attempt(id, { ...ctx, sendWebhook: dies });
    await eventually(async () => (await again(id)).state === "sending");
    ctx.clock.freeze(msAfter((await attemptsOf(id))[0], 14_900));
    expect(await interruptStuckAttempts(ctx)).to.equal(0);
    ctx.clock.advance(200);
    expect(await Promise.all([1, 2, 3].map(() => interruptStuckAttempts(ctx)))).to.have.members([0, 0, 1]);
    expect(await again(id)).to.include({ state: "failed", error: "interrupted" });
    expect(await attempt(id)).to.deep.equal({ kind: "failed", code: "interrupted" });
    expect(await sweepDeliveries(ctx)).to.equal(0);
    expect(receiver.at(one.path)).to.have.length(0);
  });

  it("marks an attempt interrupted that began before the clock was set back, and finds the webhook's other events", async () => {
    const one = await hook();
    const { id } = await delivery(one);
    const dies: SendWebhook = () => new Promise(() => undefined);
    void attempt(id, { ...ctx, sendWebhook: dies });
    await eventually(async () => (await again(id)).state === "sending");
    const [begun] = await attemptsOf(id);
    ctx.clock.freeze(msAfter(begun, -14_900));
    expect(await interruptStuckAttempts(ctx)).to.equal(0);
    ctx.clock.freeze(msAfter(begun, -3_600_000));
    expect(await interruptStuckAttempts(ctx)).to.equal(1);
    expect(await again(id)).to.include({ state: "failed", error: "interrupted" });
    await delivery(one);
    ctx.clock.freeze(msAfter(begun, -7_200_000));
    expect(await sweepDeliveries(ctx), "written while the clock was ahead").to.equal(1);
  });

  describe("an answer that comes after the attempt was marked interrupted", () => {
    const late: WebhookAnswer = {
      outcome: "delivered",
      httpStatus: 200,
      error: null,
      durationMs: 9_000,
      responseBody: null,
      resolvedIp: null,
    };
    async function interrupted(): Promise<{ id: string; one: Hook; arrive(): Promise<unknown> }> {
      const one = await hook();
      const { id } = await delivery(one);
      let arrive = (): void => undefined;
      const answer = new Promise<WebhookAnswer>((resolve) => (arrive = () => resolve(late)));
      const sendWebhook: SendWebhook = async (request) => {
        await ctx.sendWebhook(request);
        return answer;
      };
      const run = attempt(id, { ...ctx, sendWebhook });
      await eventually(() => receiver.of(id).length === 1);
      ctx.clock.advance(16_000);
      await interruptStuckAttempts(ctx);
      return { id, one, arrive: () => (arrive(), run) };
    }

    it("is recorded", async () => {
      const { id, arrive } = await interrupted();
      await arrive();
      expect(await again(id)).to.include({ state: "delivered", httpStatus: 200, error: null });
      expect((await attemptsOf(id))[0]).to.include({ state: "delivered", error: null });
    });

    it("changes its own attempt only when the next one was requested by hand meanwhile", async () => {
      const { id, one, arrive } = await interrupted();
      await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: id });
      await arrive();
      expect(await again(id)).to.include({ state: "queued", requestedAttempt: 2 });
      receiver.answer(one.path, { kind: "status", status: 500 });
      await attempt(id);
      expect((await attemptsOf(id)).map(({ state }) => state)).to.deep.equal(["delivered", "failed"]);
      expect(await again(id)).to.include({ state: "failed", httpStatus: 500, attemptCount: 2 });
    });
  });

  it("records an answer although the database was away when it came", async () => {
    const { id } = await delivery(await hook());
    const own = await createDataSource({ databaseUrl, poolMax: 2, applicationName: "cut" }).initialize();
    let cutOff = Promise.resolve();
    const sendWebhook: SendWebhook = async (request) => {
      const answer = await ctx.sendWebhook(request);
      // Its rows stay locked for longer than a statement may wait: as good as away.
      const blocker = db.createQueryRunner();
      await blocker.startTransaction();
      await blocker.query("LOCK TABLE webhook_attempts IN ACCESS EXCLUSIVE MODE");
      cutOff = eventually(async () => {
        const cut = await db.query<object[]>(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut' AND wait_event_type = 'Lock'",
        );
        return cut.length > 0;
      })
        .then(() => blocker.rollbackTransaction())
        .then(() => blocker.release());
      return answer;
    };
    const { log, lines } = recordingLog();
    expect(await attempt(id, { ...ctx, db: own, sendWebhook, log })).to.deep.equal({
      kind: "done",
      reason: "delivered",
    });
    await cutOff;
    expect(lines.map(({ message }) => message)).to.include("webhook: outcome not recorded yet, retrying");
    expect(await again(id)).to.include({ state: "delivered" });
    await own.destroy();
  });

  it("fails a delivery whose body was deleted, without an attempt", async () => {
    const one = await hook();
    const { id, eventId } = await delivery(one);
    await db.manager.update(InvoiceEvent, eventId, { body: null });
    expect(await attempt(id)).to.deep.equal({ kind: "failed", code: "pruned" });
    expect(await again(id)).to.include({ state: "failed", error: "pruned", attemptCount: 0 });
  });
});
