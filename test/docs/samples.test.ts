import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { createInvoice } from "../../commands/invoices/create-invoice";
import { startApi, type TestApi, type TestStore } from "../api/server";
import { needs } from "../support/needs";

const SAMPLES = path.join(__dirname, "../../docs/samples");

/** What runs them, and what else they need. */
const LANGUAGES = {
  sh: ["sh", "curl"],
  mjs: [process.execPath],
  py: ["python3"],
  php: ["php"],
} as const;

describe("docs/samples", () => {
  let api: TestApi;
  let folder: string;
  /** Its feed has more events than a page of it. */
  let feed: TestStore;
  /** The order of each event in that feed. */
  const ordersInFeed: string[] = [];

  /** A new invoice of that store, whose `New` is in the feed. */
  async function sell() {
    const orderId = `A-${ordersInFeed.length + 1}`;
    const { invoice } = await createInvoice(api.ctx, feed.storeId, {
      amount: "1000",
      currency: "SATS",
      metadataJson: JSON.stringify({ orderId, note: "two\nlines" }),
    });
    ordersInFeed.push(orderId);
    return { orderId, invoiceId: invoice.id };
  }

  before(async () => {
    api = await startApi();
    folder = mkdtempSync(path.join(tmpdir(), "samples-"));
    feed = await api.store();
    for (let count = 0; count < 201; count += 1) await sell();
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await api.stop();
  });

  /** Runs a sample as a reader does; rejects with what it printed when it fails. */
  async function run(name: string, { storeId, apiKey }: TestStore, more: Record<string, string> = {}) {
    const [command] = LANGUAGES[path.extname(name).slice(1) as keyof typeof LANGUAGES];
    const env = { ...process.env, BASE_URL: api.base, STORE_ID: storeId, API_KEY: apiKey, ...more };
    const options = { env, cwd: folder, timeout: 60_000, maxBuffer: 1 << 24 };
    return (await promisify(execFile)(command, [path.join(SAMPLES, name)], options)).stdout;
  }
  const failureOf = (sample: Promise<string>) =>
    sample.then(
      () => "it did not fail",
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );

  for (const [language, commands] of Object.entries(LANGUAGES)) {
    describe(`in ${language}`, () => {
      before(function () {
        needs(this, ...commands);
      });

      it("create one invoice for an order, however often they are run", async () => {
        const store = await api.store();
        const outputs = [
          await run(`create-invoice.${language}`, store),
          await run(`create-invoice.${language}`, store),
        ];
        const { json } = await api.call("GET", `/stores/${store.storeId}/invoices`, { key: store.apiKey });
        expect(json.data).to.have.length(1);
        const { invoiceId, metadata, checkoutUrl } = json.data[0];
        expect(metadata).to.deep.equal({ orderId: "A-1001" });
        for (const output of outputs) expect(output).to.include(invoiceId).and.to.include(checkoutUrl);
      });

      it("print the error when they are refused", async () => {
        const store = { ...(await api.store()), apiKey: "sk_test_wrong" };
        for (const task of ["create-invoice", "read-events"]) {
          const failure = await failureOf(run(`${task}.${language}`, store));
          expect(failure, task).to.include("unauthenticated").and.to.include("valid API key");
        }
      });

      it("read the events since their last run, page by page, and none twice", async () => {
        const read = () => run(`read-events.${language}`, feed, { CURSOR_FILE: `cursor-${language}` });
        const orders = (output: string) =>
          [...output.matchAll(/"orderId":"(A-\d+)"|^(A-\d+): /gm)].map(([, json, line]) => json ?? line);

        expect(orders(await read())).to.deep.equal(ordersInFeed);
        expect(await read()).to.equal("");
        const { orderId, invoiceId } = await sell();
        const { status } = await api.call("POST", `/stores/${feed.storeId}/invoices/${invoiceId}/status`, {
          key: feed.apiKey,
          body: { status: "Settled" },
        });
        expect(status).to.equal(200);
        ordersInFeed.push(orderId);
        const last = await read();
        expect(orders(last)).to.deep.equal([orderId, orderId]);
        if (language !== "sh")
          expect(last).to.equal(`${orderId}: New/None\n${orderId}: Settled/None, fulfil it\n`);
      });
    });
  }

  it("register a webhook and show its secret", async function () {
    needs(this, "sh", "curl");
    const store = await api.store();
    const url = "http://127.0.0.1:4000/webhook";
    const output = await run("register-webhook.sh", store, { WEBHOOK_URL: url });
    expect(output).to.match(/"secret":"whsec_/);
    const webhooks = `/stores/${store.storeId}/webhooks`;
    const [webhook] = (await api.call("GET", webhooks, { key: store.apiKey })).json.data;
    expect(webhook).to.include({ url, enabled: true });
  });
});
