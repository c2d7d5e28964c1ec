import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import Koa from "koa";
import { z } from "zod";
import { randomId } from "../../../adapters/crypto";
import { deadline } from "../../../api/http/middleware/deadline";
import { problems } from "../../../api/http/middleware/problems";
import { requestId } from "../../../api/http/middleware/request-id";
import { definitionOf } from "../../../api/http/route";
import { serveRoute } from "../../../api/http/serve-route";
import type { Serving } from "../../../api/http/serving";
import { listen } from "../../../api/listen";
import type { ApiState } from "../../../api/state";
import { acceptRows } from "../../../commands/accounts/authentic-rows";
import { createApiKey } from "../../../commands/stores/api-key";
import { Invoice } from "../../../entities/invoice";
import { Session } from "../../../entities/session";
import { StoreMember } from "../../../entities/store-member";
import { recordingLog } from "../../support/context";
import { eventually } from "../../support/eventually";
import { join, testUser } from "../dashboard/user";
import { startApi, type TestApi, type TestStore } from "../server";

/** Longer than a caller stays authenticated. */
const LATE_MS = 700;

interface Sent {
  /** Sends the last byte of the body, and resolves to the status. */
  finish(): Promise<number>;
  status: Promise<number>;
}

/** Sends a request without the last byte of its body. */
function sendSlowly(url: string, method: string, headers: Record<string, string>, body: object): Sent {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  const sent = request(url, {
    method,
    headers: { "content-type": "application/json", "content-length": length, ...headers },
  });
  const status = new Promise<number>((resolve, reject) => {
    sent.once("error", reject);
    sent.once("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
  sent.write(text.slice(0, -1));
  return {
    status,
    finish: () => {
      sent.end(text.slice(-1));
      return status;
    },
  };
}

describe("API: a request whose body comes late", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => (api = await startApi()));
  after(() => api.stop());
  beforeEach(async () => (shop = await api.store()));

  async function newInvoice(): Promise<string> {
    const { json } = await api.call("POST", `/stores/${shop.storeId}/invoices`, {
      key: shop.apiKey,
      body: { amount: "1000", currency: "SATS" },
    });
    return json.invoiceId;
  }
  const statusOf = async (id: string): Promise<string> =>
    (await api.db.manager.findOneByOrFail(Invoice, { id })).status;
  const markSlowly = (invoiceId: string, key: string): Sent =>
    sendSlowly(
      `${api.base}/api/v1/stores/${shop.storeId}/invoices/${invoiceId}/status`,
      "POST",
      { "x-api-key": key },
      { status: "Settled" },
    );

  it("has its effect while its key exists", async () => {
    const invoiceId = await newInvoice();
    const mark = markSlowly(invoiceId, shop.apiKey);
    await sleep(LATE_MS);
    expect(await mark.finish()).to.equal(200);
    expect(await statusOf(invoiceId)).to.equal("Settled");
  });

  it("is refused when its key was deleted meanwhile", async () => {
    const invoiceId = await newInvoice();
    const { storeId } = shop;
    const { record, apiKey: stolen } = await createApiKey(api.ctx, { storeId, name: "stolen" });
    const mark = markSlowly(invoiceId, stolen);
    await sleep(LATE_MS);
    const path = `/stores/${storeId}/api-keys/${record.id}`;
    expect((await api.call("DELETE", path, { key: shop.apiKey })).status).to.equal(204);
    expect(await mark.finish()).to.equal(401);
    expect(await statusOf(invoiceId)).to.equal("New");
  });

  it("is refused when its session has ended, or its user is no owner any more", async () => {
    const [leaver, other] = [await testUser(api), await testUser(api)];
    await join(api, leaver, shop.storeId, "owner");
    const headers = { cookie: leaver.cookie, "sec-fetch-site": "same-origin" };
    const url = `${api.base}/api/dashboard/stores/${shop.storeId}/members`;
    const invite = () => sendSlowly(url, "POST", headers, { email: other.email, role: "owner" });
    const [first, second] = [invite(), invite()];
    await sleep(LATE_MS);
    await api.db.manager.update(StoreMember, { userId: leaver.userId }, { role: "viewer" });
    await acceptRows(api.ctx);
    expect(await first.finish()).to.equal(403);
    await api.db.manager.delete(Session, { userId: leaver.userId });
    expect(await second.finish()).to.equal(401);
  });
});

describe("API: a body that comes after the answer", () => {
  it("has no effect", async () => {
    const log = recordingLog();
    const app = new Koa<ApiState>();
    const served: Promise<void>[] = [];
    let handled = 0;
    const route = {
      ...definitionOf({ method: "post", path: "/", body: z.object({}) }),
      handle: () => Promise.resolve((handled += 1)),
    };
    const serve = serveRoute(route, () => Promise.resolve({} as never), {} as Serving);
    app.use(requestId(randomId)).use(problems(log.log)).use(deadline(30));
    app.use((koa) => {
      const answer = serve(Object.assign(koa, { params: {} }));
      served.push(answer);
      return answer;
    });
    const listening = await listen(app.callback(), { host: "127.0.0.1", port: 0 });
    const late = sendSlowly(`http://127.0.0.1:${listening.port}/`, "POST", {}, {});
    expect(await late.status).to.equal(503);
    await late.finish();
    await eventually(() => expect(served).to.have.length(1));
    expect((await Promise.allSettled(served))[0]).to.have.nested.property("reason.code", "unavailable");
    expect(handled).to.equal(0);
    await listening.close();
  });
});
