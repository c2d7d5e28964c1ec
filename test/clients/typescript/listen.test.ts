import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { Connection } from "../../../clients/typescript/src/connection";
import { listen, resend, trigger } from "../../../clients/typescript/src/listen";
import type { EventType } from "../../../clients/typescript/src/post-event";
import { InvoiceEvent } from "../../../entities/invoice-event";
import { startApi, type TestApi, type TestStore } from "../../api/server";
import { eventually } from "../../support/eventually";
import {
  serviceSignatureHolds,
  standardSignatureHolds,
  startReceiver,
  type Receiver,
} from "../../support/receiver";

describe("the TypeScript client's listen", () => {
  let api: TestApi;
  let store: TestStore;
  let receiver: Receiver;
  let stateHome: string;
  const ends: (() => Promise<unknown>)[] = [];
  before(async () => void (api = await startApi()));
  after(() => api.stop());
  beforeEach(async () => {
    [store, receiver] = [await api.store(), await startReceiver()];
    stateHome = mkdtempSync(path.join(os.tmpdir(), "quittance-listen-"));
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await receiver.close();
    rmSync(stateHome, { recursive: true, force: true });
  });

  const partsOf = (baseUrl: string, say: (line: string) => void = () => undefined) => ({
    connection: new Connection({ baseUrl, ...store }),
    baseUrl,
    storeId: store.storeId,
    stateHome,
    say,
  });
  function start(given: { baseUrl?: string; types?: EventType[]; since?: string } = {}) {
    const { baseUrl = api.base, types, since } = given;
    const lines: string[] = [];
    const stop = new AbortController();
    const parts = partsOf(baseUrl, (line) => lines.push(line));
    const ended = listen({ ...parts, forwardTo: receiver.url, types, since, signal: stop.signal });
    const end = (): Promise<void> => {
      stop.abort();
      return ended;
    };
    ends.push(() => end().catch(() => undefined));
    const listening = (): Promise<unknown> => eventually(() => lines.length >= 2);
    return { lines, end, ended, listening };
  }
  const create = async (metadata = '{"orderId":"A-1"}'): Promise<string> => {
    const body = `{"amount":"1000","currency":"SATS","metadata":${metadata}}`;
    const { json } = await api.call("POST", `/stores/${store.storeId}/invoices`, { key: store.apiKey, body });
    return json.invoiceId;
  };
  const mark = (invoiceId: string, status: string) =>
    api.call("POST", `/stores/${store.storeId}/invoices/${invoiceId}/status`, {
      key: store.apiKey,
      body: { status },
    });
  const got = () =>
    receiver.requests.map(({ body }) => (JSON.parse(body.toString()) as { invoiceId: string }).invoiceId);
  const secretOf = (lines: readonly string[]) => /whsec_\S+/.exec(lines.join("\n"))?.[0] ?? "";

  it("sends each new event once, with the bytes and signatures of a webhook", async () => {
    await create(); // before it began
    const { lines, listening } = start();
    await listening();
    const metadata = '{"10":1,"2":{"metadata":["}",1.0]},"n":12345678901234567890,"orderId":"A \\"1\\""}';
    const invoiceId = await create(metadata);
    await mark(invoiceId, "Invalid");
    await eventually(() => receiver.requests.length === 2);
    const events = await api.db.manager.find(InvoiceEvent, { where: { invoiceId }, order: { seq: "ASC" } });
    expect(receiver.requests.map(({ body }) => body.toString())).to.deep.equal(
      events.map(({ body }) => body?.toString()),
    );
    for (const request of receiver.requests) {
      expect(serviceSignatureHolds(request, secretOf(lines))).to.equal(true);
      expect(standardSignatureHolds(request, secretOf(lines))).to.equal(true);
    }
    expect(receiver.requests[1]?.headers).to.include({
      "x-service-event-id": events[1]?.id,
      "x-service-store-id": store.storeId,
      "x-service-attempt": "1",
    });
    await eventually(() => expect(lines.at(-1)).to.match(/Invalid +inv_\w+ +0{15}3 {2}→ 200 in \d+ ms$/));
  });

  it("sends after a restart what came meanwhile, nothing twice, with the same secret", async () => {
    const first = start();
    await first.listening();
    const before = await create();
    await eventually(() => got().includes(before));
    await first.end();
    const [one, two] = [await create(), await create()];
    const second = start();
    await eventually(() => expect(got()).to.deep.equal([before, one, two]));
    await second.end();
    expect(secretOf(second.lines))
      .to.equal(secretOf(first.lines))
      .and.match(/^whsec_/);
    for (const name of readdirSync(path.join(stateHome, "quittance")))
      expect(statSync(path.join(stateHome, "quittance", name)).mode & 0o077).to.equal(0);
  });

  it("passes over other types for good", async () => {
    const settled = start({ types: ["Settled"] });
    await settled.listening();
    const invoiceId = await create();
    await mark(invoiceId, "Settled");
    await eventually(() => receiver.requests.length === 1);
    await settled.end();
    const all = start();
    await all.listening();
    const next = await create();
    await eventually(() => expect(got()).to.deep.equal([invoiceId, next]));
  });

  it("does not repeat what the receiver refused; --resend does, with the next attempt", async () => {
    receiver.answer("/", { kind: "status", status: 500 });
    const { lines, listening, end } = start();
    await listening();
    const invoiceId = await create();
    await eventually(() => expect(lines.at(-1)).to.match(/→ 500 in \d+ ms {2}\(again: --resend 0{15}1\)$/));
    await end();
    receiver.answer("/", { kind: "status", status: 200 });
    const eventId = receiver.requests[0]?.headers["x-service-event-id"] as string;
    await resend(partsOf(api.base), receiver.url, eventId);
    await resend(partsOf(api.base), receiver.url, "1");
    expect(got()).to.deep.equal([invoiceId, invoiceId, invoiceId]);
    expect(receiver.requests.map(({ headers }) => headers["x-service-attempt"])).to.deep.equal([
      "1",
      "2",
      "3",
    ]);
    const unknown = await resend(partsOf(api.base), receiver.url, "evt_no").catch((error: Error) => error);
    expect(String(unknown)).to.include("Name it by its seq");
  });

  it("names an event that was perhaps not sent when it died, and does not send it", async () => {
    const first = start();
    await first.listening();
    await create();
    await eventually(() => expect(first.lines.at(-1)).to.include("→ 200"));
    await first.end();
    const folder = path.join(stateHome, "quittance");
    const file = readdirSync(folder).find((name) => name.startsWith("forward-")) ?? "";
    const kept = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as object;
    writeFileSync(path.join(folder, file), JSON.stringify({ ...kept, sending: "0000000000000001" }));
    const second = start();
    await second.listening();
    await eventually(() => expect(second.lines.join("\n")).to.include("--resend 0000000000000001"));
    const next = await create();
    await eventually(() => expect(got().slice(1)).to.deep.equal([next]));
  });

  it("waits for a service that is away, and begins where --since says", async () => {
    await create();
    const invoiceId = await create();
    await api.call("GET", `/stores/${store.storeId}/events`, { key: store.apiKey }); // gives events their positions
    let away = true;
    const hop = createServer((request, response) => {
      if (away) return void response.writeHead(503).end();
      void fetch(`${api.base}${request.url}`, { headers: { "x-api-key": store.apiKey } }).then(
        async (answer) =>
          response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text()),
      );
    }).listen(0, "127.0.0.1");
    await once(hop, "listening");
    ends.push(async () => {
      hop.closeAllConnections();
      await new Promise((resolve) => hop.close(resolve));
    });
    const { lines } = start({
      baseUrl: `http://127.0.0.1:${(hop.address() as AddressInfo).port}`,
      since: "0000000000000001",
    });
    await eventually(() => expect(lines.join("\n")).to.include("does not answer"));
    away = false;
    await eventually(() => expect(got(), lines.join("\n")).to.deep.equal([invoiceId]));
    expect(lines.join("\n")).to.include("answers again");
  });

  it("is refused beside another one for the same receiver, and with a key that is not one", async () => {
    const first = start();
    await first.listening();
    await first.end();
    const folder = path.join(stateHome, "quittance");
    const file = readdirSync(folder).find((name) => name.startsWith("forward-")) ?? "";
    writeFileSync(path.join(folder, file.replace(/json$/, "lock")), String(process.ppid));
    const second = await start().ended.catch((error: Error) => error);
    expect(String(second)).to.include(`Another listen (process ${process.ppid})`);
    store = { ...store, apiKey: "sk_live_no" };
    rmSync(folder, { recursive: true });
    expect(await start().ended.catch((error: unknown) => error)).to.include({ status: 401 });
  });

  it("trigger sends a marked test event to where listen sent last", async () => {
    const nowhere = await trigger(partsOf(api.base), "Settled", undefined).catch((error: Error) => error);
    expect(String(nowhere)).to.include("--forward-to");
    const { lines, listening } = start();
    await listening();
    await trigger(partsOf(api.base), "Settled", undefined);
    const [request] = receiver.requests;
    expect(request?.headers).to.include({ "x-service-test": "true" });
    expect(request?.body.toString()).to.match(/^{"type":"Settled","invoiceId":"inv_test\w+",/);
    expect(request && serviceSignatureHolds(request, secretOf(lines))).to.equal(true);
  });
});
