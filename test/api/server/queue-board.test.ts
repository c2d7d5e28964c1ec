import { request } from "node:http";
import { createRequire } from "node:module";
import { expect } from "chai";
import pg from "pg";
import type { Board, BoardOptions } from "../../../adapters/queues/board";
import { connectQueues, type Queues } from "../../../adapters/queues/connect";
import { migrateQueues } from "../../../adapters/queues/postgres-backend";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { attemptWebhook } from "../../../commands/webhooks/attempt-webhook";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import { createWebhook } from "../../../commands/webhooks/create-webhook";
import { createDataSource } from "../../../database/data-source";
import { testContext, type TestContext } from "../../support/context";
import { testDatabaseUrl } from "../../support/database";
import { eventually } from "../../support/eventually";
import { startReceiver, type Receiver } from "../../support/receiver";
import { redisAvailable, testRedis, type TestRedis } from "../../support/redis";
import { join, testUser, type TestUser } from "../dashboard/user";
import { startApi, type TestApi } from "../server";

interface BoardRoute {
  method: string;
  route: string;
}
interface BoardRoutes {
  appRoutes: { entryPoint: { route: string[] }; api: BoardRoute[] };
}
const { appRoutes } = createRequire(__filename)("@bull-board/api/dist/routes") as BoardRoutes;

const PUBLIC_URL = "https://pay.example.com";
const SECRET = "s3cr3t-t0ken";

/** What each route of the installed version answers, for a job of webhook-delivery that failed. */
const EXPECTED: Record<string, number> = {
  "get /api/redis/stats": 403,
  "get /api/queues": 200,
  "get /api/job-schedulers": 200,
  "get /api/queues/:queueName/metrics": 200,
  "get /api/queues/:queueName/default-job-options": 200,
  "get /api/queues/:queueName/workers": 403,
  "get /api/queues/:queueName/rate-limit": 200,
  "get /api/queues/:queueName/job-data-schema": 200,
  "put /api/queues/pause": 403,
  "put /api/queues/resume": 403,
  "get /api/queues/:queueName/:jobId/logs": 200,
  "get /api/queues/:queueName/:jobId/flow": 200,
  "get /api/queues/:queueName/:jobId": 200,
  "post /api/queues/:queueName/add": 403,
  "put /api/queues/:queueName/retry/:queueStatus": 200,
  "put /api/queues/:queueName/promote": 403,
  "put /api/queues/:queueName/clean/:queueStatus": 403,
  "put /api/queues/:queueName/pause": 403,
  "put /api/queues/:queueName/resume": 403,
  "put /api/queues/:queueName/concurrency": 403,
  "put /api/queues/:queueName/rate-limit": 403,
  "put /api/queues/:queueName/rate-limit/release": 403,
  "put /api/queues/:queueName/empty": 403,
  "put /api/queues/:queueName/obliterate": 403,
  "put /api/queues/:queueName/job-schedulers/:schedulerId/remove": 403,
  "patch /api/queues/:queueName/job-schedulers/:schedulerId": 403,
  "put /api/queues/:queueName/job-schedulers/:schedulerId/run": 403,
  "put /api/queues/:queueName/:jobId/retry": 204,
  "put /api/queues/:queueName/:jobId/clean": 403,
  "put /api/queues/:queueName/:jobId/promote": 403,
  "patch /api/queues/:queueName/:jobId/update-data": 403,
  "patch /api/queues/:queueName/:jobId/delay": 403,
  "patch /api/queues/:queueName/:jobId/priority": 403,
  "put /api/queues/:queueName/:jobId/remove-unprocessed-children": 403,
};
const RETRY_ROUTES = [
  "put /api/queues/:queueName/:jobId/retry",
  "put /api/queues/:queueName/retry/:queueStatus",
];

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}
interface Sent {
  /** The session's; the admin's unless given. Null sends none. */
  cookie?: string | null;
  body?: string;
  headers?: Record<string, string>;
}

let admin: TestUser;

/** As a browser's page does, or whatever the headers say. */
function ask(base: string, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { cookie = admin.cookie, body, headers = { "sec-fetch-site": "same-origin" } } = sent;
  return new Promise((resolve, reject) => {
    const outgoing = request(`${base}/admin/queues${path}`, {
      method,
      headers: {
        ...(cookie === null ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    outgoing.end(body);
  });
}

const codeOf = ({ text }: Answer): string => (JSON.parse(text) as { code: string }).code;

const boardParts = (queueBoard: (options: BoardOptions) => Board) => ({ queueBoard, publicUrl: PUBLIC_URL });

describe("the queues' board: access", () => {
  let api: TestApi;
  let queues: Queues;
  before(async () => {
    const databaseUrl = await testDatabaseUrl();
    await migrateQueues(databaseUrl);
    const db = createDataSource({ databaseUrl, poolMax: 5, applicationName: "test" });
    await db.initialize();
    const ctx = await testContext({ db });
    queues = connectQueues({ REDIS_URL: undefined, DATABASE_URL: databaseUrl }, { log: ctx.log });
    api = await startApi({ db, parts: boardParts(queues.board) });
    admin = await testUser(api, { admin: true });
  });
  after(async () => {
    await queues.close();
    await api.stop();
  });

  const PATHS = [
    "",
    "/",
    "/api/queues",
    "/static/favicon.ico",
    "/queue/webhook-delivery",
    "/queue/webhook-delivery/dlv_1",
    "/nothing",
  ];

  it("requires authentication for the page, its files and its data", async () => {
    for (const path of PATHS)
      for (const cookie of [null, "quittance-session=", "quittance-session=guessed"]) {
        const answer = await ask(api.base, "GET", path, { cookie });
        expect([answer.status, codeOf(answer)], path).to.deep.equal([401, "unauthenticated"]);
      }
  });

  it("redirects to the login without a session", async () => {
    const headers = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const answer = await ask(api.base, "GET", "/queue/webhook-delivery", { cookie: null, headers });
    expect([answer.status, answer.headers["location"]]).to.deep.equal([302, "/login?next=%2Fadmin%2Fqueues"]);
  });

  it("is for server admins: no store's owner sees or changes anything, nor does an API key", async () => {
    const shop = await api.store();
    const owner = await testUser(api);
    await join(api, owner, shop.storeId, "owner");
    for (const path of PATHS) {
      const answer = await ask(api.base, "GET", path, { cookie: owner.cookie });
      expect([answer.status, codeOf(answer)], path).to.deep.equal([403, "admin-only"]);
      const byKey = { cookie: null, headers: { "x-api-key": shop.apiKey } };
      expect((await ask(api.base, "GET", path, byKey)).status).to.equal(401);
    }
    const retry = await ask(api.base, "PUT", "/api/queues/webhook-delivery/dlv_1/retry", {
      cookie: owner.cookie,
    });
    expect([retry.status, codeOf(retry)]).to.deep.equal([403, "admin-only"]);
  });

  it("is denied with the next request after a session or right has ended", async () => {
    const { userId, sessionId, cookie } = await testUser(api, { admin: true });
    const status = async () => (await ask(api.base, "GET", "/", { cookie })).status;
    expect(await status()).to.equal(200);
    await api.db.query("UPDATE users SET admin = false WHERE id = $1", [userId]);
    await acceptRows(api.ctx);
    expect(await status()).to.equal(403);
    await api.db.query("DELETE FROM sessions WHERE id = $1", [sessionId]);
    expect(await status()).to.equal(401);
  });

  it("leaves the paths beside it unchanged", async () => {
    for (const path of ["x", "-old/", "%2f"])
      expect(codeOf(await ask(api.base, "GET", path)), path).to.equal("route-not-found");
  });

  it("serves the page under a policy that names no other host, and its files", async () => {
    for (const path of ["", "/", "/queue/invoices", "/queue/webhook-delivery/dlv_1"]) {
      const page = await ask(api.base, "GET", path);
      expect(page.status, path).to.equal(200);
      expect(page.headers["content-type"]).to.match(/^text\/html/);
      expect(page.headers["content-security-policy"]).to.equal(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
          "font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(page.headers["cache-control"]).to.equal("no-store");
      expect(page.text).to.include('<base href="/admin/queues/" />');
    }
    const { text } = await ask(api.base, "GET", "/");
    const files = [...text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, file = ""]) => file);
    expect(files.length).to.be.greaterThan(4);
    for (const file of files) expect((await ask(api.base, "GET", `/${file}`)).status, file).to.equal(200);
  });

  it("works below a path", async () => {
    const parts = { ...boardParts(queues.board), publicUrl: "https://example.com/pay/" };
    const below = await startApi({ db: api.db, parts });
    expect((await ask(below.base, "GET", "/")).text).to.include('<base href="/pay/admin/queues/" />');
    await below.listening.close();
  });

  it("shows queues without jobs", async () => {
    const answer = await ask(
      api.base,
      "GET",
      "/api/queues?activeQueue=webhook-delivery&status=latest&page=1",
    );
    const { queues: shown } = JSON.parse(answer.text) as {
      queues: { name: string; readOnlyMode: boolean }[];
    };
    expect(shown.map(({ name, readOnlyMode }) => [name, readOnlyMode])).to.deep.equal([
      ["invoices", true],
      ["confirmations", true],
      ["invoice-expiry", true],
      ["webhook-delivery", false],
    ]);
  });

  const site = (name: string, more: Record<string, string> = {}) => ({ "sec-fetch-site": name, ...more });
  const typed = (type: string) => ({ "content-type": type });
  const json = typed("application/json");
  const form = typed("application/x-www-form-urlencoded");
  for (const [what, headers, status] of [
    ["its own page", site("same-origin"), 404],
    ["its own page, by Origin alone", { origin: PUBLIC_URL }, 404],
    ["another site", site("cross-site", json), 403],
    ["another host of its domain", site("same-site", json), 403],
    ["a bookmark", site("none", json), 403],
    ["another origin", { origin: "https://evil.example", ...json }, 403],
    ["a hidden origin", { origin: "null", ...json }, 403],
    ["another site that shows our origin", site("cross-site", { origin: PUBLIC_URL }), 403],
    ["nowhere", json, 403],
    ["its own page as a form", site("same-origin", form), 415],
    ["its own page as text", site("same-origin", typed("text/plain")), 415],
    ["its own page as nothing", site("same-origin", typed("")), 415],
    ["another site's form", site("cross-site", form), 403],
  ] as [string, Record<string, string>, number][])
    it(`answers ${status} to a change that comes from ${what}`, async () => {
      const body = status === 404 ? {} : { body: '{"name":"x","data":{}}' };
      const retry = "/api/queues/webhook-delivery/dlv_none/retry";
      expect((await ask(api.base, "PUT", retry, { ...body, headers })).status).to.equal(status);
      if (status !== 404)
        expect(
          (await ask(api.base, "POST", "/api/queues/webhook-delivery/add", { ...body, headers })).status,
        ).to.equal(status);
      expect((await queues.stats())["webhook-delivery"]?.waiting).to.equal(0);
    });

  const by = (mode: string, dest: string) => ({ "sec-fetch-mode": mode, "sec-fetch-dest": dest });
  for (const [what, headers, status] of [
    ["by a link of another site", site("cross-site", by("navigate", "document")), 200],
    ["by a frame of another site", site("cross-site", by("navigate", "iframe")), 403],
    ["by a script of another site", site("cross-site", by("cors", "empty")), 403],
    ["by an address that was typed", site("none"), 200],
    ["by a tool", {}, 200],
  ] as [string, Record<string, string>, number][])
    it(`answers ${status} to a read ${what}`, async () => {
      expect((await ask(api.base, "GET", "/", { headers })).status).to.equal(status);
    });
});

const backends = ["postgres", ...(redisAvailable() ? ["redis"] : [])] as const;

for (const kind of backends)
  describe(`the queues' board on ${kind}`, () => {
    let redis: TestRedis | null = null;
    let api: TestApi;
    let ctx: TestContext;
    let queues: Queues;
    let receiver: Receiver;
    let databaseUrl = "";
    let closeWorker: () => Promise<void>;

    beforeEach(async () => {
      redis = kind === "redis" ? await testRedis() : null;
      databaseUrl = await testDatabaseUrl();
      if (!redis) await migrateQueues(databaseUrl);
      const db = createDataSource({ databaseUrl, poolMax: 10, applicationName: "test" });
      await db.initialize();
      receiver = await startReceiver();
      ctx = await testContext({ db, enqueue: (...job) => queues.enqueue(...job) });
      queues = connectQueues(
        { REDIS_URL: redis?.url, DATABASE_URL: databaseUrl },
        { log: ctx.log, workers: 1 },
      );
      api = await startApi({ db, parts: boardParts(queues.board) });
      api.ctx.enqueue = (...job) => queues.enqueue(...job);
      admin = await testUser(api, { admin: true });
      const worker = queues.startWorker("webhook-delivery", (work) => attemptWebhook(ctx, work), {
        concurrency: 10,
        onFatal: (error) => {
          throw error;
        },
      });
      closeWorker = () => worker.close();
    });
    afterEach(async () => {
      await closeWorker();
      await queues.close();
      await api.stop();
      await receiver.close();
      await redis?.stop();
    });

    interface Failed {
      storeId: string;
      deliveryId: string;
      secret: string;
    }
    /** A delivery whose first attempt failed. */
    async function failed(url = `${receiver.url}/hook`): Promise<Failed> {
      const { storeId } = await api.store();
      const { secret } = await createWebhook(ctx, { storeId, url, events: ["New"] });
      await createInvoice(ctx, storeId, { amount: "1000", currency: "SATS" });
      const deliveryId = await eventually(async () => {
        const rows: { id: string }[] = await ctx.db.query(
          "SELECT id FROM webhook_deliveries WHERE store_id = $1 AND state = 'failed'",
          [storeId],
        );
        if (!rows[0]) throw new Error("not failed yet");
        return rows[0].id;
      });
      await eventually(async () => (await jobState(deliveryId)) === "failed");
      return { storeId, deliveryId, secret };
    }

    async function jobState(deliveryId: string): Promise<string | undefined> {
      const { text } = await ask(api.base, "GET", `/api/queues/webhook-delivery/${deliveryId}`);
      return (JSON.parse(text) as { status?: string }).status;
    }
    const retry = (deliveryId: string) =>
      ask(api.base, "PUT", `/api/queues/webhook-delivery/${deliveryId}/retry`);
    const retryAll = (state: string) => ask(api.base, "PUT", `/api/queues/webhook-delivery/retry/${state}`);
    const audits = () =>
      ctx.db.query<Record<string, unknown>[]>(
        "SELECT actor_kind, actor_id, action, store_id, subject FROM audit_log WHERE action LIKE 'delivery.%'",
      );
    const attempts = (deliveryId: string) =>
      ctx.db.query<Record<string, unknown>[]>(
        "SELECT number, cause, state FROM webhook_attempts WHERE delivery_id = $1 ORDER BY number",
        [deliveryId],
      );

    it("sends a failed delivery again: the same record, the next attempt, by hand, and audited", async () => {
      receiver.answer("/hook", { kind: "status", status: 500 });
      const { storeId, deliveryId } = await failed();
      receiver.answer("/hook", { kind: "status", status: 200 });
      expect((await retry(deliveryId)).status).to.equal(204);
      await eventually(async () => expect((await attempts(deliveryId)).length).to.equal(2));
      await eventually(async () => expect((await attempts(deliveryId))[1]?.["state"]).to.equal("delivered"));
      expect(await attempts(deliveryId)).to.deep.equal([
        { number: 1, cause: "automatic", state: "failed" },
        { number: 2, cause: "manual", state: "delivered" },
      ]);
      const [first, second, ...more] = receiver.at("/hook");
      expect(more).to.deep.equal([]);
      expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).to.equal(true);
      expect(second?.headers).to.include({ "x-service-attempt": "2", "x-service-delivery-id": deliveryId });
      expect(await audits()).to.deep.equal([
        {
          actor_kind: "user",
          actor_id: admin.userId,
          action: "delivery.retry-asked",
          store_id: storeId,
          subject: deliveryId,
        },
      ]);
    });

    it("sends at the first press when the delivery was sent and failed under higher numbers meanwhile", async () => {
      receiver.answer("/hook", { kind: "status", status: 500 });
      const { deliveryId } = await failed();
      await ctx.db.query("UPDATE webhook_deliveries SET requested_attempt = 5 WHERE id = $1", [deliveryId]);
      for (const number of [6, 7]) {
        expect((await retry(deliveryId)).status).to.equal(204);
        await eventually(async () =>
          expect((await attempts(deliveryId)).at(-1)).to.include({ number, state: "failed" }),
        );
        await eventually(async () => (await jobState(deliveryId)) === "failed");
      }
      expect((await attempts(deliveryId)).map(({ number }) => number)).to.deep.equal([1, 6, 7]);
    });

    it("sends all failed deliveries again by Retry all: the same records, by hand, and audited", async () => {
      receiver.answer("/hook", { kind: "status", status: 500 });
      const all = [await failed(), await failed(), await failed()];
      receiver.answer("/hook", { kind: "status", status: 200 });
      const answer = await retryAll("failed");
      expect([answer.status, JSON.parse(answer.text)]).to.deep.equal([200, { retried: 3, skipped: 0 }]);
      for (const { deliveryId } of all)
        await eventually(async () =>
          expect(await attempts(deliveryId)).to.deep.equal([
            { number: 1, cause: "automatic", state: "failed" },
            { number: 2, cause: "manual", state: "delivered" },
          ]),
        );
      expect(receiver.at("/hook")).to.have.length(6);
      expect(await audits()).to.have.deep.members(
        all.map(({ storeId, deliveryId }) => ({
          actor_kind: "user",
          actor_id: admin.userId,
          action: "delivery.retry-asked",
          store_id: storeId,
          subject: deliveryId,
        })),
      );
    });

    it("excludes from Retry all what was delivered or erased, or whose webhook was deleted, and sends the others", async () => {
      receiver.answer("/hook", { kind: "status", status: 500 });
      const [delivered, gone, stillFailed] = [await failed(), await failed(), await failed()];
      const deleted = await failed();
      await ctx.db.query("UPDATE webhooks SET deleted_at = now(), enabled = false WHERE store_id = $1", [
        deleted.storeId,
      ]);
      await ctx.db.query("UPDATE webhook_deliveries SET state = 'delivered' WHERE id = $1", [
        delivered.deliveryId,
      ]);
      await ctx.db.query("DELETE FROM webhook_attempts WHERE delivery_id = $1", [gone.deliveryId]);
      await ctx.db.query("DELETE FROM webhook_deliveries WHERE id = $1", [gone.deliveryId]);
      expect((await retryAll("failed")).status).to.equal(200);
      await eventually(async () => expect(await attempts(stillFailed.deliveryId)).to.have.length(2));
      await eventually(async () => (await jobState(stillFailed.deliveryId)) === "failed");
      for (const { deliveryId } of [delivered, deleted]) expect(await attempts(deliveryId)).to.have.length(1);
      expect(receiver.at("/hook")).to.have.length(5);
      expect((await audits()).map(({ subject }) => subject)).to.deep.equal([stillFailed.deliveryId]);
    });

    it("sends each failed delivery once though Retry all is pressed five times", async () => {
      receiver.answer("/hook", { kind: "status", status: 500 });
      const all = [await failed(), await failed()];
      receiver.answer("/hook", { kind: "status", status: 200, holdMs: 300 });
      const answers = await Promise.all(Array.from({ length: 5 }, () => retryAll("failed")));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
      for (const { deliveryId } of all)
        await eventually(async () =>
          expect((await attempts(deliveryId))[1]?.["state"]).to.equal("delivered"),
        );
      expect(receiver.at("/hook")).to.have.length(4);
    });

    it("allows of the installed version's routes only reads and the retries", async () => {
      receiver.answer("/hook", { kind: "status", status: 500 });
      const { deliveryId } = await failed();
      expect(
        appRoutes.api.map(({ method, route }) => `${method} ${route}`).sort(),
        "a new version has other routes: decide what each may do, in board.ts and here",
      ).to.deep.equal(Object.keys(EXPECTED).sort());
      // Creation does not wait for the job of its invoice's expiry.
      await eventually(async () => expect((await queues.stats())["invoice-expiry"]?.delayed).to.equal(1));
      const before = await queues.stats();
      const bodies: Record<string, string> = {
        "/api/queues/:queueName/add": '{"name":"x","data":{"deliveryId":"dlv_x"},"options":{}}',
        "/api/queues/:queueName/:jobId/update-data": '{"jobData":{"deliveryId":"dlv_x"}}',
        "/api/queues/:queueName/obliterate": '{"force":true}',
        "/api/queues/:queueName/concurrency": '{"concurrency":1}',
        "/api/queues/:queueName/rate-limit": '{"max":1,"duration":1000}',
      };
      for (const queue of ["webhook-delivery", "invoices"])
        for (const [operation, expected] of Object.entries(EXPECTED)) {
          if (RETRY_ROUTES.includes(operation) && queue === "webhook-delivery") continue; // the tests above
          const [method = "", route = ""] = operation.split(" ");
          const needsJob = /:jobId/.test(route) && method === "get";
          if (needsJob && queue !== "webhook-delivery") continue; // no such job: 404 or empty
          const path = route
            .replace(":queueName", queue)
            .replace(":jobId", deliveryId)
            .replace(":queueStatus", "failed")
            .replace(":schedulerId", "retention");
          const body = method === "get" ? {} : { body: bodies[route] ?? "{}" };
          const answer = await ask(api.base, method.toUpperCase(), path, body);
          const wanted = RETRY_ROUTES.includes(operation) ? 403 : expected;
          expect(answer.status, `${operation} of ${queue}: ${answer.text}`).to.equal(wanted);
        }
      expect(await queues.stats()).to?.deep.equal(before);
      expect(await jobState(deliveryId)).to.equal("failed");
      expect(await audits()).to.deep.equal([]);
      expect((await ask(api.base, "POST", "/api/metrics/history/purge", { body: "{}" })).status).to.equal(
        404,
      );
    });

    it("runs nothing again when the retry cannot be audited", async () => {
      receiver.answer("/hook", { kind: "status", status: 500 });
      const { deliveryId } = await failed();
      await ctx.db.query("ALTER TABLE audit_log RENAME TO audit_log_away");
      expect((await retry(deliveryId)).status).to.equal(500);
      expect(await jobState(deliveryId)).to.equal("failed");
      expect(receiver.at("/hook")).to.have.length(1);
    });

    it("shows no secret in any job or error, whatever fails", async () => {
      receiver.answer(`/500?token=${SECRET}`, { kind: "status", status: 500, body: SECRET });
      receiver.answer(`/reset?token=${SECRET}`, { kind: "reset" });
      receiver.answer(`/redirect?token=${SECRET}`, {
        kind: "status",
        status: 302,
        headers: { location: `http://127.0.0.1:1/${SECRET}` },
      });
      const urls = [
        `${receiver.url}/500?token=${SECRET}`,
        `${receiver.url}/reset?token=${SECRET}`,
        `${receiver.url}/redirect?token=${SECRET}`,
        `https://127.0.0.1:${new URL(receiver.url).port}/tls?token=${SECRET}`,
        `http://127.0.0.1:1/refused?token=${SECRET}`,
      ];
      const deliveries: Failed[] = [];
      for (const url of urls) deliveries.push(await failed(url));
      const first = deliveries[0];
      // A defect: the database refuses the claim, with the row in its message.
      await ctx.db.query("ALTER TABLE webhook_attempts ADD CONSTRAINT never CHECK (number < 2) NOT VALID");
      if (first) await retry(first.deliveryId);
      await eventually(async () => {
        const { text } = await ask(api.base, "GET", `/api/queues/webhook-delivery/${first?.deliveryId}`);
        expect(text).to.include('"failedReason":"internal-error"');
      });

      const stored = redis ? await allOfRedis(redis) : await allOfPostgres(databaseUrl);
      const shown = [
        await ask(
          api.base,
          "GET",
          "/api/queues?activeQueue=webhook-delivery&status=failed&page=1&jobsPerPage=50",
        ),
      ];
      for (const { deliveryId } of deliveries) {
        shown.push(await ask(api.base, "GET", `/api/queues/webhook-delivery/${deliveryId}`));
        shown.push(await ask(api.base, "GET", `/api/queues/webhook-delivery/${deliveryId}/logs`));
      }
      for (const { deliveryId } of deliveries) expect(stored).to.include(deliveryId); // it is the right place to look
      for (const text of [stored, ...shown.map((answer) => answer.text)]) {
        expect(text).not.to.include(SECRET);
        expect(text).not.to.include(new URL(receiver.url).host);
        for (const { secret, storeId } of deliveries) {
          expect(text).not.to.include(secret);
          expect(text).not.to.include(storeId);
        }
        expect(text).not.to.match(/\n? +at .*\.ts:\d+/); // no stack
      }
    });

    if (kind === "redis")
      it("says with 503 that Redis is away, and works when it is back", async () => {
        expect((await ask(api.base, "GET", "/api/queues")).status).to.equal(200);
        await redis?.kill();
        for (const path of ["/", "/api/queues", "/api/queues/webhook-delivery/dlv_x"]) {
          const answer = await ask(api.base, "GET", path);
          expect([answer.status, codeOf(answer)], path).to.deep.equal([503, "unavailable"]);
          expect(answer.text).to.include("Redis does not answer").and.not.to.include("127.0.0.1");
        }
        expect((await retry("dlv_x")).status).to.equal(503);
        await redis?.start();
        await eventually(
          async () => expect((await ask(api.base, "GET", "/api/queues")).status).to.equal(200),
          15_000,
        );
      });
  });

it("the queues' board connects when Redis was away at the start", async function () {
  if (!redisAvailable()) return this.skip();
  const redis = await testRedis({ started: false });
  const api = await startApi();
  const queues = connectQueues(
    { REDIS_URL: redis.url, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" },
    { log: api.ctx.log },
  );
  const late = await startApi({ db: api.db, parts: boardParts(queues.board) });
  admin = await testUser(api, { admin: true });
  expect((await ask(late.base, "GET", "/api/queues")).status).to.equal(503);
  await redis.start();
  await eventually(
    async () => expect((await ask(late.base, "GET", "/api/queues")).status).to.equal(200),
    15_000,
  );
  await late.listening.close();
  await queues.close();
  await api.stop();
  await redis.stop();
});

/** All that the queues' tables hold, as text. */
async function allOfPostgres(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ tablename: string }>(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'bullmq'",
    );
    const texts: string[] = [];
    for (const { tablename } of rows) {
      const all = await client.query(`SELECT t::text AS row FROM bullmq."${tablename}" t`);
      texts.push(JSON.stringify(all.rows));
    }
    return texts.join("\n");
  } finally {
    await client.end();
  }
}

async function allOfRedis({ admin }: TestRedis): Promise<string> {
  const texts: string[] = [];
  for (const key of await admin.keys("*")) {
    const type = await admin.type(key);
    texts.push(key);
    if (type === "hash") texts.push(JSON.stringify(await admin.hgetall(key)));
    if (type === "list") texts.push(...(await admin.lrange(key, 0, -1)));
    if (type === "zset") texts.push(...(await admin.zrange(key, "0", "-1")));
    if (type === "stream") texts.push(JSON.stringify(await admin.xrange(key, "-", "+")));
    if (type === "string") texts.push((await admin.get(key)) ?? "");
  }
  return texts.join("\n");
}
