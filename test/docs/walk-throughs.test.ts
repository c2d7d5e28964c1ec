import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { SETTINGS } from "../../config/schema";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import { testDatabaseUrl } from "../support/database";
import { buildInvoice, buildPayment, buildWebhook } from "../support/factories";
import { Store } from "../../entities/store";
import { cliOn } from "../scripts/support";
import { startApi, type TestApi } from "../api/server";
import { createDataSource } from "../../database/data-source";

const ROOT = path.join(__dirname, "../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const page = read("docs/walk-throughs.md");

const TITLES = ["Add a route", "Add a setting", "Debug one stuck invoice"] as const;

function walkThrough(title: (typeof TITLES)[number]): string {
  const text = page.split(`\n## ${title}\n`)[1];
  if (text === undefined) throw new Error(`docs/walk-throughs.md has no walk-through "${title}"`);
  return text.split(/\n## /)[0] ?? "";
}

const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);

/** Everything between backticks, and every line of a block. */
function codeOf(text: string): string[] {
  const spans = text.replace(/^```[^]*?^```/gm, "").matchAll(/`([^`]+)`/g);
  const lines = blocksOf(text, "sh").flatMap((block) => block.trim().split("\n"));
  return [...lines, ...[...spans].map(([, code = ""]) => code)];
}

const FOLDERS = "api|commands|domain|entities|database|adapters|config|workers|scripts|test|docs";
const PATH = new RegExp(`(?<![\\w./$-])(?:${FOLDERS})/[\\w./<>-]*`, "g");

/** The paths of ours in some text; `<area>` and the like stand for any name. */
const pathsIn = (text: string): string[] => [...text.matchAll(PATH)].map(([found]) => found);

const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .trim()
  .split("\n");

function exists(named: string): boolean {
  const pattern = named.replace(/[.]/g, "\\.").replace(/<\w+>/g, "[^/]+");
  const whole = new RegExp(`^${pattern}${named.endsWith("/") ? "" : "$"}`);
  return tracked.some((file) => whole.test(file));
}

/** `NAME` of `FILE`, and what of them the file does not have. */
function missingNames(text: string): string[] {
  const named = [...text.matchAll(/((?:`\w+`(?:, | and )?)+) of `([\w./-]+\.ts)`/g)];
  return named.flatMap(([, names = "", file = ""]) =>
    [...names.matchAll(/\w{4,}/g)]
      .filter(([name]) => !new RegExp(`\\b${name}\\b`).test(read(file)))
      .map(([name]) => `${name} of ${file}`),
  );
}

describe("the walk-throughs", () => {
  for (const title of TITLES)
    it(`name existing files and names: ${title}`, () => {
      const text = walkThrough(title);
      const paths = codeOf(text).flatMap(pathsIn);
      expect(paths.length).to.be.greaterThan(5);
      expect(paths.filter((named) => !exists(named))).to.deep.equal([]);
      expect(text).to.match(/`\w+` of `/);
      expect(missingNames(text)).to.deep.equal([]);
    });

  it("list for a setting files that each have every setting", () => {
    const text = walkThrough("Add a setting");
    const files = ["config/schema.ts", ".env.example"];
    for (const file of files) {
      expect(text).to.contain(`\`${file}\``);
      const content = read(file);
      expect(
        Object.keys(SETTINGS).filter((name) => !new RegExp(`\\b${name}\\b`).test(content)),
      ).to.deep.equal([]);
    }
  });

  it("list for an event's field every file that writes events", () => {
    const writers = tracked.filter(
      (file) => /^(commands|workers|api)\/.*\.ts$/.test(file) && /\beventBody\(/.test(read(file)),
    );
    expect(writers).not.to.be.empty;
    const named = pathsIn(walkThrough("Add a route"));
    expect(writers.filter((file) => !named.includes(file))).to.deep.equal([]);
  });
});

describe("the walk-through of a stuck invoice", () => {
  const text = walkThrough("Debug one stuck invoice");
  let databaseUrl: string;
  let api: TestApi;
  let shop: { storeId: string; apiKey: string };
  let invoiceId: string;
  before(async () => {
    databaseUrl = await testDatabaseUrl();
    const db = await createDataSource({ databaseUrl, poolMax: 5, applicationName: "test" }).initialize();
    api = await startApi({ db });
    shop = await api.store();
    const store = await db.manager.findOneByOrFail(Store, { id: shop.storeId });
    await buildWebhook(api.ctx, store);
    ({ id: invoiceId } = (await buildInvoice(api.ctx, { store })).invoice);
    await buildPayment(api.ctx, invoiceId);
  });
  after(() => api.stop());

  it("asks the API for the invoice", async () => {
    const asked = blocksOf(text, "sh")
      .flatMap((block) => block.trim().split("\n"))
      .filter((line) => line.startsWith("curl "));
    const answers: Record<string, unknown>[] = [];
    for (const line of asked) {
      const env = { API: api.base, STORE: shop.storeId, KEY: shop.apiKey, INVOICE: invoiceId };
      const { stdout } = await promisify(execFile)("sh", ["-c", line], {
        env: { PATH: process.env["PATH"], ...env },
        timeout: 50_000,
      });
      answers.push(JSON.parse(stdout) as Record<string, unknown>);
    }
    expect(answers).to.have.length(3);
    expect(answers[0]).to.include.keys("status", "checks");
    expect(answers[1]).to.include({ invoiceId, status: "New" });
    expect(answers[2]?.["data"]).to.be.an("array");
  });

  it("reads its rows", async () => {
    const statements = blocksOf(text, "sql")
      .flatMap((block) => block.trim().split("\n"))
      .map((line) => line.replaceAll(":'invoice'", `'${invoiceId}'`));
    const results: unknown[][] = [];
    for (const statement of statements) results.push(await api.db.query(statement));
    expect(results.map((rows) => rows.length).slice(0, 4)).to.deep.equal([1, 1, 1, 0]);
    expect(results[0]?.[0]).to.include({ status: "New", expiry_held: false });
    expect(results[2]?.[0]).to.include({ state: "queued" });
    expect(results).to.have.length(6);
  });

  it("retries what failed", async () => {
    await api.db.manager.update(WebhookDelivery, { invoiceId }, { state: "failed", attemptCount: 1 });
    const cli = cliOn({ DATABASE_URL: databaseUrl, NETWORK: "regtest" }); // all that the walk-through exports
    const commands = blocksOf(text, "sh").flatMap((block) => [
      ...block.matchAll(/^npm run -s cli -- (.*)$/gm),
    ]);
    const counts: unknown[] = [];
    for (const [, command = ""] of commands) {
      const args = command.replace("$STORE", shop.storeId).split(" ");
      counts.push((await cli(...args, "--json")).json()["count"]);
    }
    expect(counts).to.deep.equal([0, 1]);
  });
});
