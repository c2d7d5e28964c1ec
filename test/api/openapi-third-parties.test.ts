import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { generateSource } from "oazapfts";
import { send, startApi, type TestApi } from "./server";

const ROOT = path.join(__dirname, "../..");

interface Document extends Record<string, unknown> {
  openapi: string;
  info: Record<string, unknown>;
  paths: Record<string, Record<string, Record<string, unknown>>>;
}

/** What a developer writes who has nothing but the generated client; its types are checked too. */
const PROGRAM = `import { defaults, createInvoice, listInvoices, readInvoice, redeliver, type Invoice } from "./client.js";

const { BASE = "", API_KEY = "", STORE_ID = "" } = process.env;
defaults.baseUrl = BASE + defaults.baseUrl;
defaults.headers = { "x-api-key": API_KEY };

const body = { amount: "1000", currency: "SATS", metadata: { orderId: "A-1" } };
const made = await createInvoice(STORE_ID, body, { idempotencyKey: "A-1" });
if (made.status !== 201) throw new Error(made.data.detail);
const invoice: Invoice = made.data;
const again = await createInvoice(STORE_ID, body, { idempotencyKey: "A-1" });
const found = await listInvoices(STORE_ID, { status: ["New", "Processing"], orderId: "A-1", limit: 1 });
const none = await listInvoices(STORE_ID, { status: ["Settled", "Invalid"] });
const refused = await createInvoice(STORE_ID, { amount: "-1", currency: "SATS" });
const missing = await readInvoice(STORE_ID, "inv_none");
// @ts-expect-error an id is missing
export const wrong = () => redeliver(STORE_ID, "whk_1");
console.log(JSON.stringify([
  [invoice.status, invoice.dueSats, invoice.metadata.orderId],
  again.status === 201 && again.data.invoiceId === invoice.invoiceId,
  found.status === 200 && found.data.data.map((each) => each.invoiceId === invoice.invoiceId),
  none.status === 200 && none.data.data.length,
  refused.status === 422 && refused.data.errors?.map((each) => each.pointer),
  missing.status === 404 && missing.data.code,
]));
`;

describe("API: its description, as others' programs read it", function () {
  this.timeout(60_000);
  let api: TestApi;
  let text: string;
  before(async () => {
    api = await startApi();
    ({ text } = await send(api.base, "GET", "/openapi.json"));
  });
  after(() => api.stop());

  describe("a validator, by the OpenAPI Initiative's own schema", () => {
    const problems = async (damage: (document: Document) => void) => {
      const document = JSON.parse(text) as Document;
      damage(document);
      const validator = new Validator();
      const { valid, errors } = await validator.validate(document);
      expect(valid).to.equal(errors === undefined);
      return { version: validator.version, errors: JSON.stringify(errors) };
    };

    it("accepts it as OpenAPI 3.1", async () => {
      expect(await problems(() => undefined)).to.deep.equal({ version: "3.1", errors: undefined });
    });

    it("refuses it without a title, with a parameter of no type, and with a reference to nothing", async () => {
      const damages: [(document: Document) => void, string][] = [
        [({ info }) => delete info["title"], "title"],
        [({ paths }) => void (paths["/server/info"] = { get: { parameters: [{ name: "x" }] } }), "schema"],
        [
          ({ paths }) => void (paths["/server/info"] = { get: { responses: { 200: { $ref: "#/none" } } } }),
          "#/none",
        ],
      ];
      for (const [damage, named] of damages) expect((await problems(damage)).errors).to.contain(named);
    });
  });

  describe("a generator's client", () => {
    let dir: string;
    const node = (file: string, args: string[], env: Record<string, string> = {}) =>
      promisify(execFile)(process.execPath, [file, ...args], {
        cwd: dir,
        env: { PATH: process.env["PATH"], ...env },
      }).then(
        ({ stdout }) => stdout,
        (error: { stdout: string; stderr: string }) => Promise.reject(new Error(error.stdout + error.stderr)),
      );
    before(async () => {
      dir = mkdtempSync(path.join(os.tmpdir(), "quittance-generated-"));
      symlinkSync(path.join(ROOT, "node_modules"), path.join(dir, "node_modules"));
      writeFileSync(path.join(dir, "package.json"), '{"type": "module"}');
      writeFileSync(path.join(dir, "openapi.json"), text);
      writeFileSync(path.join(dir, "client.ts"), await generateSource(path.join(dir, "openapi.json")));
      writeFileSync(path.join(dir, "program.ts"), PROGRAM);
    });
    after(() => rmSync(dir, { recursive: true, force: true }));

    it("compiles, and does what the description says", async () => {
      const compilerOptions = {
        ...{ strict: true, target: "es2022", module: "node16", outDir: "out" },
        ...{ lib: ["es2022", "dom", "dom.iterable"], types: ["node"] },
      };
      writeFileSync(
        path.join(dir, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files: ["program.ts"] }),
      );
      await node(path.join(ROOT, "node_modules/typescript/bin/tsc"), ["-p", dir]);
      const { apiKey, storeId } = await api.store();
      const said = await node("out/program.js", [], { BASE: api.base, API_KEY: apiKey, STORE_ID: storeId });
      expect(JSON.parse(said)).to.deep.equal([
        ["New", 1000, "A-1"],
        true,
        [true],
        0,
        ["/amount"],
        "invoice-not-found",
      ]);
    });
  });
});
