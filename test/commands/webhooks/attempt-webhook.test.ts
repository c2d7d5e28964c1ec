import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type DataSource, In } from "typeorm";
import { makeSecretBox } from "../../../adapters/crypto";
import { isDatabaseOutage } from "../../../adapters/database-outage";
import { connectQueues, type Queues } from "../../../adapters/queues/connect";
import { migrateQueues } from "../../../adapters/queues/postgres-backend";
import { loadDeliveries } from "../../../commands/webhooks/attempt-queries";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { beginAttempt, type AttemptStart } from "../../../commands/webhooks/begin-attempts";
import type { CommandContext } from "../../../commands/context";
import { interruptStuckAttempts } from "../../../commands/webhooks/interrupt-stuck-attempts";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { sendForgottenDeliveries } from "../../../commands/webhooks/next-deliveries";
import type { JobOutcome } from "../../../commands/jobs";
import type { SendWebhook, WebhookAnswer } from "../../../commands/ports";
import { redeliverWebhook } from "../../../commands/webhooks/redeliver-webhook";
import { previousSecretPlace, webhookSecretPlace } from "../../../commands/server/sealed-places";
import { createDataSource } from "../../../database/data-source";
import { Alert } from "../../../entities/alert";
import { InvoiceEvent } from "../../../entities/invoice-event";
import type { Store } from "../../../entities/store";
import { Webhook } from "../../../entities/webhook";
import { WebhookAttempt } from "../../../entities/webhook-attempt";
import { WebhookDelivery } from "../../../entities/webhook-delivery";
import {
  recordingLog,
  TEST_APP_SECRET,
  testContext,
  type LogLine,
  type TestContext,
} from "../../support/context";
import { testDatabaseUrl } from "../../support/database";
import { eventually } from "../../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../../support/factories";
import { startGate } from "../../support/gate";
import { checkInvariants } from "../../support/invariants";
import { statementsOf } from "../../support/plans";
import {
  serviceSignatureHolds,
  standardSignatureHolds,
  startReceiver,
  type Receiver,
} from "../../support/receiver";

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
  const attempt = (id: string, attemptNumber = 1, context: CommandContext = ctx) =>
    attemptWebhook(context, { deliveryId: id, attemptNumber });

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
    await attempt(id, 1, { ...ctx, sendWebhook });
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

  it("records a redirect as failed and does not follow it", async () => {
    const one = await hook();
    receiver.answer(one.path, {
      kind: "status",
      status: 307,
      headers: { location: `${receiver.url}/elsewhere` },
    });
    const { id } = await delivery(one);
    expect(await attempt(id)).to.deep.equal({ kind: "failed", code: "http-307" });
    expect(receiver.at("/elsewhere")).to.have.length(0);
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
    expect(outcomes.filter(({ kind }) => kind === "done")).to.have.length(1);
    expect(outcomes.filter(({ kind }) => kind === "wait")).to.have.length(49);
    expect(await attempt(id)).to.deep.equal({ kind: "done", reason: "already delivered" });
    expect(receiver.at(one.path)).to.have.length(1);
  });

  it("sends nothing for a job restored from an older queue", async () => {
    const one = await hook();
    receiver.answer(one.path, { kind: "status", status: 500 });
    const { id } = await delivery(one);
    await attempt(id, 1);
    await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: id });
    await attempt(id, 2);
    expect(await attempt(id, 1)).to.deep.equal({ kind: "failed", code: "http-500" });
    expect(await attempt(id, 2)).to.deep.equal({ kind: "failed", code: "http-500" });
    expect(receiver.at(one.path)).to.have.length(2);
  });

  it("sends the next number that a Retry in the queue's board requests, into the same record", async () => {
    const one = await hook();
    receiver.answer(one.path, { kind: "status", status: 503 });
    const { id } = await delivery(one);
    await attempt(id, 1);
    receiver.answer(one.path, { kind: "status", status: 200 });
    expect(await attempt(id, 2)).to.deep.equal({ kind: "done", reason: "delivered" });
    expect(await again(id)).to.include({ state: "delivered", attemptCount: 2, requestedAttempt: 2 });
    expect((await attemptsOf(id)).map(({ cause }) => cause)).to.deep.equal(["automatic", "manual"]);
  });

  it("handles a job of an unknown delivery without an error", async () => {
    expect(await attempt("whd_none")).to.deep.equal({ kind: "done", reason: "no such delivery" });
  });

  it("sends nothing when the row has another webhook's encrypted secret", async () => {
    const [one, other] = [await hook(), await hook()];
    const { id } = await delivery(one);
    await db.query(
      "UPDATE webhooks w SET secret_encrypted = o.secret_encrypted FROM webhooks o WHERE w.id = $1 AND o.id = $2",
      [one.webhookId, other.webhookId],
    );
    expect((await attempt(id)).kind).to.equal("wait");
    expect(receiver.at(one.path)).to.deep.equal([]);
    expect(await again(id)).to.include({ state: "pending", attemptCount: 0 });
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
    const work = { deliveryId: id, attemptNumber: 1 };
    const alerts = () => db.manager.findBy(Alert, { kind: "secret-unreadable" });
    expect((await attemptWebhook(ctx, work)).kind).to.equal("wait");
    expect((await attemptWebhook(ctx, work)).kind).to.equal("wait");
    expect(await again(id)).to.include({ state: "pending", attemptCount: 0, requestedAttempt: 1 });
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
    await attemptWebhook(renewed, { deliveryId: later.id, attemptNumber: 1 });
    expect((await alerts()).map(({ resolvedAt }) => resolvedAt !== null)).to.deep.equal([true]);
  });

  it("fails a delivery once, without an attempt, when its secret could not be read for an hour, until it is sent by hand with the right key", async () => {
    const one = await hook();
    const first = await delivery(one);
    const { secretEncrypted } = await db.manager.findOneByOrFail(Webhook, { id: one.webhookId });
    const ofAnotherKey = Buffer.from(secretEncrypted);
    ofAnotherKey.writeUInt8(ofAnotherKey.readUInt8(2) ^ 1, 2);
    await db.manager.update(Webhook, one.webhookId, { secretEncrypted: ofAnotherKey });
    expect((await attempt(first.id)).kind).to.equal("wait");
    ctx.clock.advance(3_599_000);
    expect((await attempt(first.id)).kind).to.equal("wait");
    ctx.clock.advance(1_000);
    expect(await attempt(first.id)).to.deep.equal({ kind: "failed", code: "secret-unreadable" });
    expect(await again(first.id)).to.include({
      state: "failed",
      error: "secret-unreadable",
      attemptCount: 0,
    });
    expect(await sendForgottenDeliveries(ctx)).to.equal(0);
    expect(ctx.lines.filter(({ level }) => level === "error")).to.have.length(1);
    expect(await db.manager.findOneByOrFail(Webhook, { id: one.webhookId })).to.include({ failureStreak: 0 });
    expect(await db.manager.countBy(Alert, {})).to.equal(1);
    await db.manager.update(Webhook, one.webhookId, { secretEncrypted });
    await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: first.id });
    await attempt(first.id, 2);
    expect(await again(first.id)).to.include({ state: "delivered", error: null });
    expect(receiver.at(one.path)).to.have.length(1);
  });

  it("signs with the current secret and URL, and with both secrets while a rotation overlaps", async () => {
    const one = await hook();
    const { id } = await delivery(one);
    await attempt(id);
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    await db.manager.update(Webhook, one.webhookId, {
      url: `${receiver.url}/moved`,
      secretEncrypted: ctx.secrets.encrypt(secret, webhookSecretPlace(one.webhookId)),
      previousSecretEncrypted: ctx.secrets.encrypt(one.secret, previousSecretPlace(one.webhookId)),
      previousSecretUntil: new Date((await ctx.now(db.manager)).getTime() + 60_000),
    });
    await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: id });
    await attempt(id, 2);
    const [before] = receiver.at(one.path);
    const [overlapping] = receiver.at("/moved");
    if (!before || !overlapping) throw new Error("a POST is missing");
    expect(overlapping.body.equals(before.body)).to.equal(true);
    expect(overlapping.headers["webhook-id"]).to.equal(before.headers["webhook-id"]);
    expect(serviceSignatureHolds(overlapping, secret)).to.equal(true);
    expect(serviceSignatureHolds(overlapping, one.secret)).to.equal(false);
    expect(standardSignatureHolds(overlapping, secret)).to.equal(true);
    expect(standardSignatureHolds(overlapping, one.secret)).to.equal(true);

    await db.manager.update(Webhook, one.webhookId, { previousSecretUntil: await ctx.now(db.manager) });
    await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: id });
    await attempt(id, 3);
    const [, over] = receiver.at("/moved");
    if (!over) throw new Error("a POST is missing");
    expect(standardSignatureHolds(over, secret)).to.equal(true);
    expect(standardSignatureHolds(over, one.secret)).to.equal(false);
  });

  it("keeps the secret and the URL out of rows, logs and outcomes", async () => {
    const one = await hook();
    await db.manager.update(Webhook, one.webhookId, { url: `${receiver.url}${one.path}?token=hunter2` });
    receiver.answer(`${one.path}?token=hunter2`, { kind: "reset" });
    const { id } = await delivery(one);
    const broken: SendWebhook = () => Promise.reject(new Error(`cannot send to ${one.secret} hunter2`));
    const outcomes = [await attempt(id), await attempt(id, 2, { ...ctx, sendWebhook: broken })];
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
      const [job] = ctx.jobsOf("webhook-delivery").slice(-1);
      expect((await attempt(id, job?.attempt)).kind).to.equal("done");
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
    expect((await attempt(second.id)).kind).to.equal("wait");
    const held = hold();
    receiver.answer(one.path, { kind: "status", status: 500, holdUntil: held.until });
    const sending = attempt(first.id);
    await eventually(async () => (await again(first.id)).state === "sending");
    expect((await attempt(second.id)).kind).to.equal("wait");
    ctx.jobs.length = 0;
    held.release();
    await sending;
    expect(ctx.jobsOf("webhook-delivery")).to.deep.equal([{ deliveryId: second.id, attempt: 1 }]);
    await attempt(second.id);
    expect(
      receiver.at(one.path).map(({ body }) => (JSON.parse(body.toString()) as { type: string }).type),
    ).to.deep.equal(["New", "Settled"]);
  });

  it("has at most four requests of an endpoint in flight, and one after three failures in a row", async () => {
    const one = await hook();
    const deliveries = await Promise.all(Array.from({ length: 12 }, () => delivery(one)));
    /** No request ends before each job has sent one or waits. */
    const round = async (): Promise<void> => {
      const held = hold();
      receiver.answer(one.path, { kind: "status", status: 500, holdUntil: held.until });
      const sentBefore = receiver.at(one.path).length;
      let over = 0;
      const all = Promise.all(deliveries.map(({ id }) => attempt(id).finally(() => (over += 1))));
      await eventually(() => over + receiver.at(one.path).length - sentBefore === deliveries.length);
      held.release();
      await all;
    };
    await round();
    while ((await db.manager.countBy(WebhookDelivery, { state: "pending" })) > 4) await round();
    expect(receiver.mostOpen(one.path)).to.be.within(1, 4);
    const sent = receiver.at(one.path).length;
    await round();
    expect(receiver.at(one.path)).to.have.length(sent + 1);
  });

  describe("when another process was faster between read and commit", () => {
    const beginning = (one: Hook, { id: deliveryId }: WebhookDelivery, slot: number): AttemptStart => ({
      ...{ deliveryId, webhookId: one.webhookId, number: 1, slot, cause: "automatic", now: new Date() },
      ...{ headers: {}, state: "pending", requestedAttempt: 1, claim: randomUUID() },
      proven: false,
    });

    it("begins nothing in a slot that any process has taken", async () => {
      const one = await hook();
      const each = [await delivery(one), await delivery(one), await delivery(one)];
      const own = await createDataSource({ databaseUrl, poolMax: 1, applicationName: "other" }).initialize();
      const begun = await Promise.all(
        each.map((row, at) => beginAttempt(at === 0 ? db : own, beginning(one, row, 2))),
      );
      await own.destroy();
      expect(begun.filter((is) => is)).to.have.length(1);
      expect(await db.manager.countBy(WebhookAttempt, { state: "sending" })).to.equal(1);
      expect(await db.manager.countBy(WebhookDelivery, { state: "sending" })).to.equal(1);
      expect(await db.manager.countBy(WebhookDelivery, { attemptCount: 0 })).to.equal(2);
      ctx.clock.advance(16_000);
      expect(await interruptStuckAttempts(ctx)).to.equal(1);
      expect(
        await beginAttempt(db, beginning(one, each[begun.indexOf(false)] as WebhookDelivery, 2)),
      ).to.equal(true);
      expect(await interruptStuckAttempts(ctx)).to.equal(1);
    });

    it("begins nothing of a delivery that has changed, nor a number twice", async () => {
      const one = await hook();
      const [sent, skipped, erased] = [await delivery(one), await delivery(one), await delivery(one)];
      await attempt(sent.id);
      await db.manager.update(WebhookDelivery, skipped.id, { state: "skipped" });
      await db.manager.update(InvoiceEvent, erased.eventId, { body: null });
      const tries = [
        beginning(one, sent, 0),
        { ...beginning(one, sent, 0), state: "delivered" as const }, // its first number again
        beginning(one, skipped, 1),
        beginning(one, erased, 2),
      ];
      expect(await Promise.all(tries.map((each) => beginAttempt(db, each)))).to.deep.equal(
        tries.map(() => false),
      );
      expect(await attemptsOf(sent.id)).to.have.length(1);
      expect(await again(sent.id)).to.include({ state: "delivered", attemptCount: 1 });
      expect(await db.manager.countBy(WebhookAttempt, { state: "sending" })).to.equal(0);
      await db.manager.update(WebhookDelivery, erased.id, { state: "skipped" });
    });
  });

  describe("beside many deliveries to endpoints that fail", () => {
    let own: DataSource;
    let worker: TestContext;
    beforeEach(async () => {
      const settings = { databaseUrl, poolMax: 5, applicationName: "worker" };
      own = await createDataSource(settings).initialize();
      worker = await testContext({ db: own });
    });
    afterEach(() => own.destroy());

    it("reads fifty of those at a time, and one to another endpoint beside them", async () => {
      const rows = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const store = await buildStore(ctx);
          const hooks = await Promise.all(Array.from({ length: 20 }, () => hook(store)));
          await buildInvoice(ctx, { store });
          const ids = hooks.map(({ webhookId }) => webhookId);
          return db.manager.findBy(WebhookDelivery, { webhookId: In(ids) });
        }),
      );
      const other = await delivery(await hook());
      const ids = rows.flat().map(({ id }) => id);
      const statements = await statementsOf(own, async () => {
        const attempts = ids.map((deliveryId) =>
          attemptWebhook(worker, { deliveryId, attemptNumber: 1, unproven: true }),
        );
        await Promise.all([...attempts, attempt(other.id, 1, worker)]);
      });
      const reads = statements
        .filter(({ sql }) => sql === loadDeliveries.text)
        .map(({ parameters: [read] }) => read as string[]);
      expect(reads).to.deep.include([other.id]);
      for (const read of reads) expect(read).to.have.length.at.most(50);
      expect(reads.flat()).to.have.members([...ids, other.id]);
    });

    it("records those two at a time, and others at once", async () => {
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
      const attempts = rows.map(({ id }) => attempt(id, 1, worker));
      await eventually(async () => (await waiting()) === 2);
      await eventually(() => failing.every(({ path }) => receiver.at(path).length === 1));
      const done = attempt(other.id, 1, worker);
      // Less than a statement waits for a lock.
      const first = await Promise.race([done, sleep(8_000, "nothing", { ref: false })]);
      expect(first).to.deep.equal({ kind: "done", reason: "delivered" });
      expect(await waiting()).to.be.at.most(2);
      await blocker.rollbackTransaction();
      await blocker.release();
      for (const outcome of await Promise.all(attempts))
        expect(outcome).to.deep.equal({ kind: "failed", code: "http-500" });
    });
  });

  describe("when the database is slow to begin an attempt", () => {
    const looked = async (
      one: Hook,
      { id: deliveryId, requestedAttempt: number }: WebhookDelivery,
    ): Promise<AttemptStart> => ({
      ...{
        deliveryId,
        webhookId: one.webhookId,
        number,
        slot: 0,
        cause: number > 1 ? "manual" : "automatic",
      },
      ...{ now: await ctx.now(db.manager), headers: {}, state: "pending", requestedAttempt: number },
      proven: false,
      claim: randomUUID(),
    });

    /** At least so many of these statements. */
    const waitsForLock = (query: string, count = 1): Promise<boolean> =>
      eventually(async () => {
        const waiting = await db.query<unknown[]>(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND position($1 in query) > 0`,
          [query],
        );
        return waiting.length >= count;
      });

    /** Begins, and stands still in the statement until `release`; for longer than it may take if `late`. */
    async function heldUp(one: Hook, row: WebhookDelivery, late: boolean, others = 0) {
      const asked = await looked(one, row);
      const blocker = db.createQueryRunner();
      await blocker.startTransaction();
      // The same slot, not yet committed: the statement waits for whether it will be.
      await blocker.query(
        `INSERT INTO webhook_attempts (delivery_id, number, webhook_id, slot, cause) VALUES ($1, 1, $1, 0, 'manual')`,
        [one.webhookId],
      );
      // The time it may take is over when we say so.
      let over = (): void => expect.fail("its time is not measured");
      const timeout = globalThis.setTimeout;
      globalThis.setTimeout = ((call: () => void, ms: number) =>
        ms === 4_000 ? timeout((over = call), 60_000) : timeout(call, ms)) as typeof setTimeout;
      const begun = beginAttempt(db, asked);
      await waitsForLock("WITH locked AS", others + 1);
      globalThis.setTimeout = timeout;
      if (late) over();
      const release = async (): Promise<boolean> => {
        await blocker.rollbackTransaction();
        await blocker.release();
        return begun;
      };
      return { release };
    }

    it("waits for the statement's end and then sends, and delays no other meanwhile", async () => {
      const one = await hook();
      const { release } = await heldUp(one, await delivery(one), false);
      const others = await Promise.all([hook(), hook(), hook()]);
      for (const other of others)
        expect(await attempt((await delivery(other)).id)).to.include({ kind: "done" });
      expect(await release()).to.equal(true);
      ctx.clock.advance(16_000);
      expect(await interruptStuckAttempts(ctx)).to.equal(1);
    });

    it("delays none to an endpoint that works, though all statements for the others hang", async () => {
      const works = await hook();
      expect(await attempt((await delivery(works)).id)).to.include({ kind: "done" });
      const hang = await Promise.all([hook(), hook()]);
      const held: Awaited<ReturnType<typeof heldUp>>[] = [];
      for (const one of hang) held.push(await heldUp(one, await delivery(one), false, held.length));
      expect(await attempt((await delivery(works)).id)).to.include({ kind: "done" });
      expect(await Promise.all(held.map(({ release }) => release()))).to.deep.equal([true, true]);
      ctx.clock.advance(16_000);
      expect(await interruptStuckAttempts(ctx)).to.equal(2);
    });

    it("returns an attempt that began too late, so that the next read sends it in time", async () => {
      const one = await hook();
      const row = await delivery(one);
      const { release } = await heldUp(one, row, true);
      expect(await release()).to.equal(false);
      expect(await attemptsOf(row.id)).to.deep.equal([]);
      expect(await again(row.id)).to.include({
        ...{ state: "pending", requestedAttempt: 1, attemptCount: 0, lastAttemptAt: null },
      });
      expect(await attempt(row.id)).to.deep.equal({ kind: "done", reason: "delivered" });
      expect((await attemptsOf(row.id)).map(({ cause }) => cause)).to.deep.equal(["automatic"]);
      expect(receiver.of(row.id)).to.have.length(1);
    });

    /** Begins over a way on which the answer is lost although the attempt is committed. */
    async function beginUnanswered(one: Hook, row: WebhookDelivery) {
      const gate = await startGate(databaseUrl);
      const own = await createDataSource({
        databaseUrl: gate.url,
        poolMax: 2,
        applicationName: "cut",
      }).initialize();
      const asked = await looked(one, row);
      gate.loseAnswers();
      const begun = beginAttempt(own, asked);
      await eventually(async () => expect((await again(row.id)).state).to.equal("sending"));
      const stop = async (): Promise<void> => {
        await own.destroy();
        await gate.shut();
      };
      return { begun, gate, stop };
    }

    it("returns a committed attempt when the answer was lost, so that it is sent without a hand", async () => {
      const one = await hook();
      const row = await delivery(one);
      const { begun, gate, stop } = await beginUnanswered(one, row);
      await gate.shut(); // as a fail-over does
      const refused = await begun.catch((error: unknown) => error);
      expect(isDatabaseOutage(refused)).to.equal(true);
      expect((await again(row.id)).state).to.equal("sending");
      await gate.open();
      await eventually(async () => expect((await again(row.id)).state).to.equal("pending"));
      expect(await attemptsOf(row.id)).to.deep.equal([]);
      expect(await attempt(row.id)).to.deep.equal({ kind: "done", reason: "delivered" });
      expect(receiver.of(row.id)).to.have.length(1);
      await stop();
    });

    it("returns a committed attempt when no answer comes in time, over another connection", async () => {
      const one = await hook();
      const row = await delivery(one);
      const { begun, gate, stop } = await beginUnanswered(one, row);
      await eventually(async () => expect((await again(row.id)).state).to.equal("pending"));
      expect(await attempt(row.id)).to.deep.equal({ kind: "done", reason: "delivered" });
      await gate.shut();
      expect(await begun.catch(isDatabaseOutage)).to.equal(true);
      await gate.open();
      // It still gives back what may be committed: not what another process has begun and sent.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      expect((await attemptsOf(row.id)).map(({ state }) => state)).to.deep.equal(["delivered"]);
      expect(receiver.of(row.id)).to.have.length(1);
      await stop();
    });

    it("leaves it interrupted when a later event of the invoice was sent meanwhile", async () => {
      const one = await hook();
      const row = await delivery(one);
      const { begun, gate, stop } = await beginUnanswered(one, row);
      await gate.shut();
      await begun.catch(() => undefined);
      ctx.clock.advance(16_000);
      expect(await interruptStuckAttempts(ctx)).to.equal(1);
      await markInvoice(ctx, one.store.id, row.invoiceId, { status: "Settled" });
      const later = await db.manager.findOneByOrFail(WebhookDelivery, {
        invoiceId: row.invoiceId,
        state: "pending",
      });
      expect(await attempt(later.id)).to.deep.equal({ kind: "done", reason: "delivered" });
      await gate.open();
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      expect(await again(row.id)).to.include({ state: "failed", error: "interrupted" });
      await stop();
    });

    it("returns one that was requested by hand, although a later event of the invoice was sent", async () => {
      const one = await hook();
      const { id, invoiceId } = await delivery(one);
      await attempt(id);
      await markInvoice(ctx, one.store.id, invoiceId, { status: "Settled" });
      const later = await db.manager.findOneByOrFail(WebhookDelivery, { invoiceId, state: "pending" });
      expect(await attempt(later.id)).to.deep.equal({ kind: "done", reason: "delivered" });
      await redeliverWebhook(ctx, { storeId: one.store.id, deliveryId: id });
      const { begun, gate, stop } = await beginUnanswered(one, await again(id));
      await gate.shut();
      await begun.catch(() => undefined);
      await gate.open();
      await eventually(async () => expect((await again(id)).state).to.equal("pending"));
      expect(await attempt(id, 2)).to.deep.equal({ kind: "done", reason: "delivered" });
      expect(receiver.of(id)).to.have.length(2);
      await stop();
    });

    it("returns no number that was requested by hand meanwhile", async () => {
      const one = await hook();
      const row = await delivery(one);
      const { release } = await heldUp(one, row, true);
      const lock = db.createQueryRunner();
      await lock.startTransaction();
      // What gives back waits for whoever holds the delivery next, as the sweep or a hand does.
      const taken = lock.query(`SELECT 1 FROM webhook_deliveries WHERE id = $1 FOR NO KEY UPDATE`, [row.id]);
      await waitsForLock("SELECT 1 FROM webhook_deliveries WHERE id");
      const begun = release();
      await taken;
      await lock.query(
        `UPDATE webhook_deliveries SET state = 'pending', requested_attempt = 2 WHERE id = $1`,
        [row.id],
      );
      await lock.query(
        `UPDATE webhook_attempts SET state = 'failed', error = 'interrupted' WHERE delivery_id = $1`,
        [row.id],
      );
      await lock.commitTransaction();
      await lock.release();
      expect(await begun).to.equal(false);
      expect(await attemptsOf(row.id)).to.deep.equal([]);
      expect(await again(row.id)).to.include({ state: "pending", requestedAttempt: 2, attemptCount: 0 });
      expect(await attempt(row.id, 2)).to.deep.equal({ kind: "done", reason: "delivered" });
    });

    it("begins nothing that was read too long ago, and dates an attempt by its own beginning", async () => {
      const one = await hook();
      const row = await delivery(one);
      const asked = await looked(one, row);
      const before = (ms: number): Date => new Date(asked.now.getTime() - ms);
      expect(await beginAttempt(db, { ...asked, now: before(5_001) })).to.equal(false);
      expect(await beginAttempt(db, { ...asked, now: before(1_000) })).to.equal(true);
      const [begun] = await attemptsOf(row.id);
      expect(begun?.startedAt.getTime()).to.be.at.least(asked.now.getTime());
      expect((await again(row.id)).lastAttemptAt).to.deep.equal(begun?.startedAt);
      ctx.clock.freeze(msAfter(begun, 14_900)); // not stuck yet, though its look is more than 15 s old
      expect(await interruptStuckAttempts(ctx)).to.equal(0);
      ctx.clock.advance(200);
      expect(await interruptStuckAttempts(ctx)).to.equal(1);
    });
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
    void attempt(id, 1, { ...ctx, sendWebhook: dies });
    await eventually(async () => (await again(id)).state === "sending");
    ctx.clock.freeze(msAfter((await attemptsOf(id))[0], 14_900));
    expect(await interruptStuckAttempts(ctx)).to.equal(0);
    ctx.clock.advance(200);
    expect(await Promise.all([1, 2, 3].map(() => interruptStuckAttempts(ctx)))).to.have.members([0, 0, 1]);
    expect(await again(id)).to.include({ state: "failed", error: "interrupted" });
    expect(await attempt(id)).to.deep.equal({ kind: "failed", code: "interrupted" });
    expect(await sendForgottenDeliveries(ctx)).to.equal(0);
    expect(receiver.at(one.path)).to.have.length(0);
  });

  it("marks an attempt interrupted that began before the clock was set back, and finds the webhook's other events", async () => {
    const one = await hook();
    const { id } = await delivery(one);
    const dies: SendWebhook = () => new Promise(() => undefined);
    void attempt(id, 1, { ...ctx, sendWebhook: dies });
    await eventually(async () => (await again(id)).state === "sending");
    const [begun] = await attemptsOf(id);
    ctx.clock.freeze(msAfter(begun, -14_900));
    expect(await interruptStuckAttempts(ctx)).to.equal(0);
    ctx.clock.freeze(msAfter(begun, -3_600_000));
    expect(await interruptStuckAttempts(ctx)).to.equal(1);
    expect(await again(id)).to.include({ state: "failed", error: "interrupted" });
    await delivery(one);
    ctx.clock.freeze(msAfter(begun, -7_200_000));
    expect(await sendForgottenDeliveries(ctx), "written while the clock was ahead").to.equal(1);
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
      const run = attempt(id, 1, { ...ctx, sendWebhook });
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
      expect(await again(id)).to.include({ state: "pending", requestedAttempt: 2 });
      receiver.answer(one.path, { kind: "status", status: 500 });
      await attempt(id, 2);
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
    expect(await attempt(id, 1, { ...ctx, db: own, sendWebhook, log })).to.deep.equal({
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

  it("enqueues deliveries again that the queue lost, up to each endpoint's concurrency limit", async () => {
    const [one, two] = [await hook(), await hook()];
    const lost = await Promise.all(Array.from({ length: 6 }, () => delivery(one)));
    const [other] = [await delivery(two)];
    await markInvoice(ctx, two.store.id, other.invoiceId, { status: "Settled" }); // behind it, so not yet due
    ctx.jobs.length = 0;
    const at = await ctx.now(db.manager);
    await db.query("UPDATE webhook_deliveries SET created_at = $1", [at]);
    ctx.clock.freeze(new Date(at.getTime() + 2_900));
    expect(await sendForgottenDeliveries(ctx)).to.equal(0); // whoever wrote them has just enqueued them
    ctx.clock.advance(200);
    expect(await sendForgottenDeliveries(ctx)).to.equal(5);
    const asked = ctx.jobsOf("webhook-delivery").map(({ deliveryId }) => deliveryId);
    const oldest = lost.sort((a, b) => Number(a.eventSeq) - Number(b.eventSeq)).slice(0, 4);
    expect(asked).to.have.members([...oldest.map(({ id }) => id), other.id]);
    expect(ctx.jobs.every(({ options }) => options.sweep === true)).to.equal(true);
  });

  describe("with several workers", () => {
    let lines: LogLine[];
    let queues: Queues[];
    let stop: () => Promise<void>;
    before(() => migrateQueues(databaseUrl));
    beforeEach(async () => {
      queues = [1, 2].map(() => {
        const recorded = recordingLog();
        lines = recorded.lines;
        return connectQueues(
          { DATABASE_URL: databaseUrl, REDIS_URL: undefined },
          { log: recorded.log, workers: 1 },
        );
      });
      const started = await Promise.all(
        queues.map(async (queue) => {
          const own = await createDataSource({
            databaseUrl,
            poolMax: 8,
            applicationName: "worker",
          }).initialize();
          const context = await testContext({ db: own, enqueue: queue.enqueue });
          const worker = queue.startWorker("webhook-delivery", (work) => attemptWebhook(context, work), {
            concurrency: 600,
            onFatal: (error) => lines.push({ level: "error", fields: { error }, message: "fatal" }),
          });
          return { worker, own };
        }),
      );
      stop = async () => {
        for (const { worker } of started) await worker.close();
        for (const queue of queues) await queue.close();
        for (const { own } of started) await own.destroy();
      };
      const [queue] = queues;
      if (!queue) throw new Error("there is no queue");
      ctx.enqueue = queue.enqueue;
    });
    afterEach(() => stop());

    const allOver = async (timeoutMs = 45_000): Promise<void> =>
      eventually(async () => {
        const open = await db.manager.countBy(WebhookDelivery, [{ state: "pending" }, { state: "sending" }]);
        expect(open).to.equal(0);
      }, timeoutMs);

    it("sends each invoice's events in their order while its endpoint is slow", async () => {
      const one = await hook();
      const holdUntil = eventually(() => void expect(receiver.mostOpen(one.path)).to.be.above(1));
      receiver.answer(one.path, { kind: "status", status: 200, holdMs: 30, holdUntil });
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const { invoice } = await buildInvoice(ctx, { store: one.store });
          for (const status of ["Settled", "Invalid", "Settled"] as const)
            await markInvoice(ctx, one.store.id, invoice.id, { status });
        }),
      );
      await allOver();
      const told = new Map<string, string[]>();
      for (const { body } of receiver.at(one.path)) {
        const { invoiceId, type } = JSON.parse(body.toString()) as { invoiceId: string; type: string };
        told.set(invoiceId, [...(told.get(invoiceId) ?? []), type]);
      }
      expect(told.size).to.equal(10);
      for (const types of told.values())
        expect(types).to.deep.equal(["New", "Settled", "Invalid", "Settled"]);
      expect(receiver.mostOpen(one.path)).to.be.within(2, 4);
    });

    it("does not delay others because of a slow endpoint with a backlog", async () => {
      const slow = await hook();
      const { until: holdUntil, release } = hold();
      receiver.answer(slow.path, { kind: "status", status: 200, holdUntil });
      const others = await Promise.all(Array.from({ length: 10 }, () => hook()));
      await Promise.all(Array.from({ length: 40 }, () => delivery(slow)));
      await Promise.all(others.flatMap((other) => [delivery(other), delivery(other)]));
      await eventually(() => others.every(({ path }) => receiver.at(path).length === 2));
      // Nothing of it has ended yet, so the others waited for none of its requests.
      await eventually(() => receiver.at(slow.path).length === 4);
      release();
      await allOver();
      expect(receiver.at(slow.path)).to.have.length(40);
      expect(receiver.mostOpen(slow.path)).to.equal(4);
    });
  });
});
