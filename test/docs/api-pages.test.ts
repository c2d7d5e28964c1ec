import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { PROBLEMS } from "../../api/http/present-problem";
import { ROUTES } from "../../api/route-table";
import { startApi, type TestApi } from "../api/server";

const DOCS = path.join(__dirname, "../../docs");
const read = (name: string): string => readFileSync(path.join(DOCS, name), "utf8");

describe("the documents about the API", () => {
  it("have every error code with its status, and no other", () => {
    const rows = [...read("api-errors.md").matchAll(/^\| (\d{3}) \| (.+?) \|/gm)];
    const told = rows.flatMap(([, status, codes = ""]) =>
      [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code]) => `${code} ${status}`),
    );
    const codes = Object.entries(PROBLEMS).map(([code, { status }]) => `${code} ${status}`);
    expect(told.sort()).to.deep.equal(codes.sort());
  });

  it("refer those who move from BTCPay Server to existing endpoints", () => {
    const there = ROUTES.map(
      ({ method, path: text }) => `${method.toUpperCase()} ${text.replaceAll(/:(\w+)/g, "{$1}")}`,
    );
    const section = read("moving-from-btcpay.md").split("## Endpoints")[1]?.split("\n## ")[0] ?? "";
    const named = [...section.matchAll(/^\| .+ \| (.+) \|$/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([A-Z]+) (\/[^`?]+)/g)].map(
        ([, method, below]) => `${method} /stores/{storeId}${below}`,
      ),
    );
    expect(named.length).to.be.greaterThan(8);
    for (const endpoint of named) expect(there).to.include(endpoint);
  });
});

describe("the commands of the documents about the API", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  /** Runs all `sh` blocks of a page in one shell, as a reader does; answers what they printed. */
  async function runPage(page: string): Promise<string> {
    const { storeId, apiKey } = await api.store();
    const blocks = [...read(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
    expect(blocks).not.to.have.length(0);
    const { stdout } = await promisify(execFile)(
      "bash",
      ["-euo", "pipefail", "-c", blocks.join("\necho\n")],
      {
        env: { PATH: process.env["PATH"], BASE_URL: api.base, STORE_ID: storeId, API_KEY: apiKey },
      },
    );
    return stdout;
  }
  const problems = (output: string): string[] =>
    [...output.matchAll(/urn:quittance:problem:([a-z-]+)/g)].map(([, code = ""]) => code);

  it("create an invoice and a webhook, and read the feed (quick-start.md)", async () => {
    const output = await runPage("quick-start.md");
    expect(problems(output)).to.deep.equal([]);
    for (const text of ['"orderId":"A-1001"', '"secret":"whsec_', '"nextAfter":"', '"synchronized":'])
      expect(output).to.include(text);
  });

  it("create, read, change, mark, archive and export an invoice (invoices.md)", async () => {
    const output = await runPage("invoices.md");
    expect(problems(output)).to.deep.equal([]);
    for (const text of ['"note":"a gift"', '"status":"Settled"', '"archived":true'])
      expect(output).to.include(text);
    expect(output).to.match(/\{"data":\[\{"invoiceId".*A-1002/);
    expect(output).to.match(/^"?invoiceId"?,"?orderId"?,.*\r?\n"?inv_\w+"?,"?A-1002"?,/m);
  });

  it("get the same answer twice (idempotency.md)", async () => {
    const output = await runPage("idempotency.md");
    const bodies = output.match(/\{"invoiceId".*\}/g) ?? [];
    expect(bodies).to.have.length(2);
    expect(bodies[0]).to.equal(bodies[1]);
    expect(output.match(/^idempotency-replayed: true\r$/gim)).to.have.length(1);
  });

  it("are refused as documented (api-errors.md)", async () => {
    const output = await runPage("api-errors.md");
    const shown = JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(read("api-errors.md"))?.[1] ?? "") as object;
    const answer = JSON.parse(output) as { requestId: string };
    expect(answer).to.deep.equal({ ...shown, requestId: answer.requestId });
  });

  it("create a key, list it and delete it (key-hygiene.md)", async () => {
    const output = await runPage("key-hygiene.md");
    expect(problems(output)).to.deep.equal([]);
    expect(output).to.include('"name":"accounting export"').and.not.to.include("sk_test_");
  });
});
