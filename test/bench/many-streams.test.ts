import { spawnSync } from "node:child_process";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import { notifyChanges } from "../../commands/server/notify-changes";
import { ChainBlock } from "../../entities/chain-block";
import { createDataSource } from "../../database/data-source";
import { Invoice } from "../../entities/invoice";
import { allOf, readEvents, type EventReader } from "../support/event-reader";
import { checkoutStore, checkoutStories, TIP } from "../stories/checkout-stories";
import { testContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { killWorkerProcesses, startWorkerProcess, type WorkerProcess } from "../support/worker-process";

const STREAMS = 5_000;
/** Of them show confirmations, which every block changes. */
const COUNTING = 2_500;
/** Beside the streams: the database, the queue, files. */
const SPARE_FILES = 500;
/** Some 270, also where the machine has much else to do: what V8 lets lie is bounded (ecosystem.config.js). */
const RSS_MAX_MB = 350;
const DELAY_MAX_MS = 10_000;

/** Node takes the hard limit by itself. */
const openFilesMax = (): number =>
  Number(spawnSync("sh", ["-c", "ulimit -Hn"]).stdout.toString().replace("unlimited", "1e9"));
const rssMb = ({ pid }: WorkerProcess): number =>
  Math.round(Number(spawnSync("ps", ["-o", "rss=", "-p", String(pid)]).stdout.toString()) / 1_024);
const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

interface OpenPage {
  reader: EventReader;
  /** When it last read its state, and which. */
  atMs: number;
  phase: string;
  states: number;
}

describe("five thousand open checkouts at one process", function () {
  this.timeout(300_000);
  let db: DataSource;
  let databaseUrl: string;
  const told: string[] = [];
  before(async function () {
    if (openFilesMax() < STREAMS + SPARE_FILES) {
      process.stderr.write(`\n*** Fewer than ${STREAMS} files may be open (ulimit -n): SKIPPED. ***\n\n`);
      return this.skip();
    }
    databaseUrl = await testDatabaseUrl();
    await migrateQueues(databaseUrl);
    db = await createDataSource({ databaseUrl, poolMax: 5, applicationName: "test" }).initialize();
  });
  after(async () => {
    await killWorkerProcesses();
    await db?.destroy();
    process.stdout.write(told.map((line) => `      ${line}\n`).join(""));
  });

  /** Copies of an invoice with all that belongs to it; answers their ids. */
  async function copies(invoice: Invoice, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, n) => `${invoice.id.slice(0, -5)}${nameOf(n)}`);
    const copy = (table: string, column: string, more = "") =>
      db.query(
        `INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table},
           to_jsonb(t) || jsonb_build_object('${column}', c.id) ${more})).*
         FROM ${table} t, unnest($2::text[]) WITH ORDINALITY AS c(id, n) WHERE t.${column} = $1`,
        [invoice.id, ids],
      );
    await copy("invoices", "id");
    await copy(
      "invoice_payment_methods",
      "invoice_id",
      "|| jsonb_build_object('destination', t.destination)",
    );
    await copy("payments", "invoice_id", "|| jsonb_build_object('id', t.id || c.n, 'vout', c.n)");
    return ids;
  }

  /** Five letters that an id may end with. */
  const nameOf = (n: number): string =>
    [...n.toString().padStart(5, "0")].map((digit) => "ABCDEFGHJK"[Number(digit)]).join("");

  it("get a payment and a block in time, and use little memory", async () => {
    const ctx = await testContext({ db });
    const store = await checkoutStore(ctx);
    const stories = checkoutStories(ctx, store);
    const ids = [
      ...(await copies(await stories.invoiceIn("seen"), COUNTING)),
      ...(await copies(await stories.invoiceIn("waiting"), STREAMS - COUNTING)),
    ];

    const api = startWorkerProcess("api", {
      DATABASE_URL: databaseUrl,
      PORT: "0",
      TRUST_PROXY: "127.0.0.1",
      LOG_LEVEL: "info",
      HOST: "127.0.0.1",
    });
    await api.ready;
    const base = await baseOf(api);
    const idleMb = rssMb(api);

    const pages: OpenPage[] = [];
    const beganMs = performance.now();
    await allOf(STREAMS, 50, async (n) => {
      const page: OpenPage = { reader: undefined as never, atMs: 0, phase: "", states: 0 };
      pages[n] = page;
      const headers = { "x-forwarded-for": `198.51.${n >> 8}.${n & 255}` };
      // As the page's script: at once, and within twenty seconds of a block if it counts them.
      const read = async (): Promise<void> => {
        const state = await (await fetch(`${base}/i/${ids[n]}/state?lang=en`, { headers })).text();
        const phase = /"phase":"(\w+)"/.exec(state)?.[1];
        Object.assign(page, { atMs: performance.now(), phase, states: page.states + 1 });
      };
      let reading = read();
      const readAgain = (): void => void (reading = reading.then(read));
      page.reader = await readEvents(`${base}/i/${ids[n]}/stream`, {
        headers,
        hear: ({ name }) => {
          if (name === "changed") readAgain();
          if (name === "block" && n < COUNTING) setTimeout(readAgain, Math.random() * 20_000);
        },
      });
      expect(page.reader.status).to.equal(200);
      await reading;
    });
    const [counting, waiting] = [pages.slice(0, COUNTING), pages.slice(COUNTING)];
    await eventually(() => pages.every(({ states }) => states === 1));
    const openMs = performance.now() - beganMs;
    expect(new Set(counting.map(({ phase }) => phase))).to.deep.equal(new Set(["seen"]));
    expect(new Set(waiting.map(({ phase }) => phase))).to.deep.equal(new Set(["waiting"]));
    const openMb = rssMb(api);
    told.push(
      `${STREAMS} streams: opened and told in ${Math.round(openMs)} ms; memory ${idleMb} MB → ${openMb} MB`,
    );

    const paid = await db.manager.findOneByOrFail(Invoice, { id: ids.at(-1) ?? "" });
    const page = pages.at(-1) as OpenPage;
    const payMs = performance.now();
    await stories.pay(paid, 9_000n);
    await eventually(() => page.phase === "partial", DELAY_MAX_MS, 5);
    told.push(`a payment: at its page ${Math.round(page.atMs - payMs)} ms after it began to be recorded`);
    expect(pages.filter(({ states }) => states > 1)).to.deep.equal([page]);

    const hash = "11".repeat(32);
    const blockMs = performance.now();
    await db.manager.insert(ChainBlock, { height: TIP + 1, hash, previousHash: "00".repeat(32) });
    notifyChanges(ctx, [{ topic: "chain", storeId: null, height: TIP + 1 }]);
    const againMs = performance.now();
    await stories.pay(paid, 13_728n);
    await eventually(() => page.phase === "seen", DELAY_MAX_MS, 5);
    await eventually(() => counting.every(({ states }) => states === 2), DELAY_MAX_MS * 3);
    const delays = counting.map(({ atMs }) => atMs - blockMs);
    const busyMb = rssMb(api);
    told.push(
      `a block: at ${COUNTING} pages after ${Math.round(median(delays))} ms (median), ${Math.round(Math.max(...delays))} ms (last);` +
        ` a payment meanwhile after ${Math.round(page.atMs - againMs)} ms; memory ${busyMb} MB`,
    );
    expect(waiting.filter(({ states }) => states !== 1)).to.deep.equal([page]);
    expect(Math.max(openMb, busyMb)).to.be.below(RSS_MAX_MB);

    const stopMs = performance.now();
    api.kill("SIGTERM");
    expect((await api.exited).code).to.equal(0);
    await Promise.all(pages.map(({ reader }) => reader.ended));
    told.push(`stopped in ${Math.round(performance.now() - stopMs)} ms`);
  });

  async function baseOf(api: WorkerProcess): Promise<string> {
    return eventually(() => {
      const listening = api.lines.find(({ message }) => message === "listening");
      if (listening === undefined) return false;
      return `http://127.0.0.1:${String(listening["port"])}`;
    }) as Promise<string>;
  }
});
