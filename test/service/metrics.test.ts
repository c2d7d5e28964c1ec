import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { parse } from "yaml";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { connectQueues } from "../../adapters/queues/connect";
import { createApiKey } from "../../commands/stores/api-key";
import { createDataSource } from "../../database/data-source";
import { Payment } from "../../entities/payment";
import { testContext, type TestContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { buildInvoice, buildStore, buildWebhook } from "../support/factories";
import { breaksInvariants } from "../support/invariants-always";
import { needs } from "../support/needs";
import { startReceiver, type Receiver } from "../support/receiver";
import { freePort } from "../../scripts/devnet/free-port";
import { killWorkerProcesses, startWorkerProcess } from "../support/worker-process";

const ROOT = path.join(__dirname, "../..");
const RULES = path.join(ROOT, "docs/prometheus-alerts.yml");
const operations = readFileSync(path.join(ROOT, "docs/operations/monitoring-and-alerts.md"), "utf8");
const section = operations.slice(
  operations.indexOf("## Metrics"),
  operations.indexOf("## The queues' board"),
);

interface Rules {
  groups: {
    rules: {
      alert: string;
      expr: string;
      labels: { severity: string };
      annotations: { description?: string };
    }[];
  }[];
}
const rules = (parse(readFileSync(RULES, "utf8")) as Rules).groups.flatMap((group) => group.rules);

/** The names of the families of an answer. */
const namesOf = (text: string): string[] =>
  [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
const valuesOf = (text: string, start: RegExp): number[] =>
  text.split("\n").flatMap((line) => (start.test(line) ? [Number(line.slice(line.lastIndexOf(" ")))] : []));

describe("the metrics of all processes", function () {
  this.timeout(120_000);
  let databaseUrl: string;
  let db: DataSource;
  let ctx: TestContext;
  let receiver: Receiver;
  let metricsPort: number;
  let environment: Record<string, string>;
  beforeEach(async () => {
    databaseUrl = await testDatabaseUrl();
    await migrateQueues(databaseUrl);
    db = await createDataSource({ databaseUrl, poolMax: 3, applicationName: "test" }).initialize();
    ctx = await testContext({ db });
    receiver = await startReceiver();
    metricsPort = await freePort();
    environment = { DATABASE_URL: databaseUrl, METRICS_PORT: String(metricsPort) };
  });
  afterEach(async () => {
    await killWorkerProcesses();
    await receiver.close();
    await db.destroy();
  });
  const scrape = async (): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(response.status).to.equal(200);
    return response.text();
  };

  it("are served by reconcile: requests by route template, webhooks, queues, deliveries, alerts, processes", async () => {
    const port = await freePort();
    const reconcile = startWorkerProcess("reconcile", environment);
    const api = startWorkerProcess("api", { ...environment, PORT: String(port) });
    const sender = startWorkerProcess("webhook-delivery", environment);
    await Promise.all([reconcile.ready, api.ready, sender.ready]);
    const store = await buildStore(ctx);
    const { apiKey } = await createApiKey(ctx, { storeId: store.id, name: "test" });
    await buildWebhook(ctx, store, `${receiver.url}/hook`);
    const invoice = await buildInvoice(ctx, { store });
    await eventually(() => receiver.requests.length === 1);

    const get = (below: string) =>
      fetch(`http://127.0.0.1:${port}${below}`, { headers: { "x-api-key": apiKey } });
    const one = `/api/v1/stores/${store.id}/invoices/${invoice.invoice.id}`;
    for (let times = 0; times < 3; times += 1) expect((await get(one)).status).to.equal(200);
    expect((await get(`/api/v1/stores/${store.id}/invoices/inv_unknown`)).status).to.equal(404);
    expect((await get("/wp-login.php")).status).to.equal(404);
    const leaving = new AbortController();
    const openCheckout = { signal: leaving.signal };
    const stream = await fetch(`http://127.0.0.1:${port}/i/${invoice.invoice.id}/stream`, openCheckout);
    expect(stream.status).to.equal(200);

    await eventually(async () => {
      const text = await scrape();
      const count = (route: string, status: number) =>
        valuesOf(
          text,
          new RegExp(
            `^quittance_http_request_seconds_count\\{.*method="GET",.*route="${route}",status="${status}"`,
          ),
        );
      const template = "/api/v1/stores/:storeId/invoices/:invoiceId";
      expect(count(template, 200)).to.deep.equal([3]);
      expect(count(template, 404)).to.deep.equal([1]);
      expect(count("other", 404)).to.deep.equal([1]);
      expect(text).to.not.include(store.id).and.not.include("wp-login");
      expect(valuesOf(text, /^quittance_webhook_seconds_count\{.*outcome="delivered"/)).to.deep.equal([1]);
      expect(text).to.include('quittance_attempts_recent{outcome="delivered"} 1');
      const open = (kind: string) =>
        valuesOf(text, new RegExp(`^quittance_event_streams\\{.*kind="${kind}"`));
      expect([open("checkout"), open("dashboard")]).to.deep.equal([[1], [0]]);
      for (const worker of ["api", "reconcile", "webhook-delivery"]) {
        expect(text).to.include(`quittance_processes{worker="${worker}"} 1`);
        expect(
          valuesOf(text, new RegExp(`^process_resident_memory_bytes\\{.*worker="${worker}"`)),
        ).to.have.length(1);
      }
      expect(text).to.include('quittance_queue_jobs{queue="webhook-delivery",state="failed"} 0');
      for (const part of ["database", "queues", "processes"])
        expect(text).to.include(`quittance_metrics_complete{part="${part}"} 1`);
    });
    expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).to.equal(404);
    leaving.abort();
    await eventually(
      async () =>
        expect(valuesOf(await scrape(), /^quittance_event_streams\{.*kind="checkout"/)).to.deep.equal([0]),
      20_000,
    );

    api.kill("SIGTERM");
    await api.exited;
    expect(await scrape()).to.not.include('worker="api"');
  });

  it("measure how late payments were seen and published, how far behind we are, and what waits", async () => {
    const store = await buildStore(ctx);
    await buildWebhook(ctx, store, `${receiver.url}/hook`);
    const invoice = await buildInvoice(ctx, { store });
    await db.manager.insert(Payment, {
      id: "aa:0",
      invoiceId: invoice.invoice.id,
      storeId: store.id,
      type: "BTC-CHAIN",
      amountSats: 1n,
      state: "pending",
      firstSeenAt: new Date(Date.now() - 60_000),
    });
    await db.query("UPDATE invoice_events SET type = 'Processing', created_at = now()");
    await db.query("UPDATE payments SET first_seen_at = now() - interval '1000 seconds'");
    await db.query("UPDATE webhook_deliveries SET created_at = now() - interval '5000 seconds'");
    await db.query(
      `INSERT INTO payment_method_syncs (type, caught_up_to, checked_at, synchronized, node_height)
       VALUES ('BTC-CHAIN', now() - interval '3000 seconds', now(), true, 107)`,
    );
    await db.query("INSERT INTO chain_blocks (height, hash, previous_hash) VALUES (104, 'b', 'a')");
    await db.query(
      `INSERT INTO alerts (id, kind, severity, subject, message, sent_at) VALUES ('alr_1', 'node-away', 'critical', 'x', 'm', now())`,
    );
    const queues = connectQueues({ DATABASE_URL: databaseUrl, REDIS_URL: undefined }, { log: ctx.log });
    await queues.enqueue("invoices", [{ invoiceId: invoice.invoice.id }]);
    const reconcile = startWorkerProcess("reconcile", environment);
    await reconcile.ready;
    await eventually(async () => ((await queues.ages()).invoices ?? 0) > 0.5);
    await eventually(async () => {
      const text = await scrape();
      const about = (name: string, seconds: number) => {
        const [value = NaN] = valuesOf(text, new RegExp(`^${name}`));
        expect(value, name).to.be.within(seconds - 0.1, seconds + 60);
      };
      about('quittance_detection_seconds\\{stage="recorded",quantile="0.95"\\}', 1_000);
      about('quittance_delivery_oldest_seconds\\{state="pending"\\}', 5_000);
      about("quittance_rail_caught_up_age_seconds", 3_000);
      about('quittance_queue_oldest_seconds\\{queue="invoices"\\}', 0.5);
      expect(text).to.include('quittance_blocks_behind{rail="BTC-CHAIN"} 3');
      expect(text).to.include('quittance_rail_synchronized{rail="BTC-CHAIN"} 1');
      expect(text).to.include('quittance_alerts_open{kind="node-away"} 1');
      expect(text).to.include('quittance_alerts_recent{kind="node-away"} 1');
      expect(text).to.include('quittance_deliveries_open{state="pending"} 1');
    });
    await queues.close();
  });

  it("measure Lightning: LND's capacity, what is open, how late payments are recorded, what is missing", async () => {
    const store = await buildStore(ctx);
    const { invoice } = await buildInvoice(ctx, { store });
    await db.manager.insert(Payment, {
      id: "aa",
      invoiceId: invoice.id,
      storeId: store.id,
      type: "BTC-LN",
      amountSats: 100_000n,
      state: "confirmed",
      firstSeenAt: new Date(),
    });
    await db.query(
      "UPDATE payments SET confirmed_at = now(), first_seen_at = now() - interval '1000 seconds'",
    );
    await db.query("UPDATE invoice_events SET type = 'Settled', created_at = now()");
    await db.query(
      "UPDATE lightning_nodes SET caught_up_to = now(), checked_at = now(), receivable_sats = 12345",
    );
    await db.query(
      "INSERT INTO lightning_cursors VALUES ('02', 7, now() - interval '3000 seconds', 'lnd_server'), ('03', 9, NULL, 'lnd_server')",
    );
    await db.query(
      `INSERT INTO bolt11s (payment_hash, invoice_id, preimage, amount_sats, state, created_at, expires_at)
       SELECT state || n, 'inv_x', '\\x00', 1, state, now(), now()
         FROM generate_series(1, 2) n, unnest(ARRAY['open', 'settled']) state`,
    );
    const reconcile = startWorkerProcess("reconcile", environment);
    const watcher = startWorkerProcess("lightning-watch", environment);
    await Promise.all([reconcile.ready, watcher.ready]);
    await eventually(async () => {
      const text = await scrape();
      const about = (name: string, seconds: number) => {
        const [value = NaN] = valuesOf(text, new RegExp(`^${name}`));
        expect(value, name).to.be.within(seconds - 0.1, seconds + 60);
      };
      about('quittance_lightning_settle_seconds\\{quantile="0.95"\\}', 1_000);
      about("quittance_lightning_hole_seconds", 3_000);
      expect(valuesOf(text, /^quittance_lightning_receivable_sats/)).to.deep.equal([12_345]);
      expect(text).to.include('quittance_bolt11s_unfinished{state="open"} 2');
      expect(valuesOf(text, /^quittance_lnd_connected\{.*worker="lightning-watch"/)).to.deep.equal([0]);
      expect(valuesOf(text, /^quittance_lnd_events_total\{.*event="payment"/)).to.deep.equal([0]);
    });
    breaksInvariants(db, "rows that no command made");
  });

  it("are served by the next process when the one that served them ends", async () => {
    const first = startWorkerProcess("reconcile", environment);
    await first.ready;
    await eventually(scrape);
    const second = startWorkerProcess("reconcile", environment);
    await second.ready;
    await eventually(() =>
      second.lines.some(({ message }) => message === "metrics: no endpoint in this process yet"),
    );
    first.kill("SIGKILL");
    await first.exited;
    await eventually(scrape);
  });

  it("are those that the operator's guide lists, and the rules use no other", async () => {
    const worker = startWorkerProcess("reconcile", environment);
    await worker.ready;
    const exported = await eventually(async () => {
      const names = namesOf(await scrape());
      expect(names).to.include("process_cpu_seconds_total");
      return names;
    });
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    const told = rows.flatMap((line) =>
      [...(line.split("|")[1] ?? "").matchAll(/`([a-z0-9_]+)`/g)].map(([, name = ""]) => name),
    );
    expect(told.sort()).to.deep.equal([...new Set(exported)].sort());

    const series = exported.flatMap((name) => [name, `${name}_count`, `${name}_bucket`, `${name}_sum`]);
    for (const { alert, expr } of rules) {
      const used = expr.match(/\b(quittance|process|nodejs)_[a-z0-9_]+/g) ?? [];
      if (alert !== "QuittanceMetricsAway") expect(used, alert).to.not.be.empty;
      expect(series, alert).to.include.members(used);
    }
  });
});

describe("the rules for Prometheus", () => {
  it("each say what to do", () => {
    for (const { alert, annotations } of rules) expect(annotations.description, alert).to.match(/\w/);
  });

  it("pass promtool when it is installed", function () {
    needs(this, "promtool");
    execFileSync("promtool", ["check", "rules", RULES], { stdio: "pipe" });
  });
});
