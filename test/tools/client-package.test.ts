import { execFile, execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { startApi, type TestApi, type TestStore } from "../api/server";
import { eventually } from "../support/eventually";
import { freePort } from "../../scripts/devnet/free-port";

const ROOT = path.join(__dirname, "../..");
const CLIENT = path.join(ROOT, "clients/typescript");
const README = readFileSync(path.join(CLIENT, "README.md"), "utf8");

interface Packed {
  filename: string;
  files: { path: string }[];
}

const SAMPLE = `import { QuittanceClient, QuittanceError, verifyWebhook, type Invoice, type WebhookEvent } from "quittance-client";

const client = new QuittanceClient({ baseUrl: "https://pay.example", apiKey: "sk", storeId: "s" });
export async function order(): Promise<Invoice> {
  try {
    const made = await client.invoices.create({ amount: "1", metadata: { orderId: "A" } }, { idempotencyKey: "A" });
    for await (const each of client.invoices.list({ status: ["New"] })) if (each.dueSats > 1) return each;
    return made;
  } catch (error) {
    if (error instanceof QuittanceError && error.code === "rate-unavailable") console.log(error.retryAfter);
    throw error;
  }
}
export const event: WebhookEvent = verifyWebhook({ rawBody: "", signatureHeader: null, secret: "whsec_x" });
// @ts-expect-error no such state
await client.invoices.mark("inv_1", { status: "Paid" });
`;

describe("the TypeScript client as a package", function () {
  this.timeout(120_000);
  let dir: string;
  let packed: Packed;
  let api: TestApi;
  let store: TestStore;

  /** npm as whoever runs the tests has it, without their settings' influence on what is said. */
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd, encoding: "utf8" });
  const environment = () => ({
    PATH: process.env["PATH"],
    QUITTANCE_URL: api.base,
    QUITTANCE_API_KEY: store.apiKey,
    QUITTANCE_STORE_ID: store.storeId,
  });
  /** Not synchronously: the API answers in this very process. */
  const run = async (file: string, text: string): Promise<string> => {
    writeFileSync(path.join(dir, file), text);
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: dir, env: environment() });
    return stdout;
  };

  before(async () => {
    dir = mkdtempSync(path.join(os.tmpdir(), "quittance-client-"));
    const source = path.join(dir, "source");
    for (const name of ["src", "package.json", "tsconfig.json", "README.md", "LICENSE"])
      cpSync(path.join(CLIENT, name), path.join(source, name), { recursive: true });
    // As in the repository, where the compiler is found in a folder above.
    execFileSync(process.execPath, [
      path.join(ROOT, "node_modules/typescript/bin/tsc"),
      ...["-p", source, "--typeRoots", path.join(ROOT, "node_modules/@types")],
    ]);
    const [first] = JSON.parse(npm(source, "pack", "--json", "--ignore-scripts")) as Packed[];
    if (!first) throw new Error("npm packed nothing");
    packed = first;
    writeFileSync(path.join(dir, "package.json"), '{"name": "empty", "private": true}');
    npm(dir, "install", "--offline", path.join(source, packed.filename));
    api = await startApi();
    store = await api.store();
  });
  after(async () => {
    await api?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it("packs what is needed and nothing else", () => {
    const kinds = packed.files.map((file) => file.path.replace(/^dist\/[\w-]+\.(js|d\.ts)$/, "dist/*.$1"));
    expect([...new Set(kinds)].sort()).to.deep.equal(
      ["LICENSE", "README.md", "dist/*.d.ts", "dist/*.js", "package.json"].sort(),
    );
  });

  it("depends on nothing", () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(path.join(dir, "node_modules/quittance-client/package.json"), "utf8"),
    ) as Record<string, object | undefined>;
    expect([dependencies, peerDependencies]).to.deep.equal([undefined, undefined]);
  });

  it("is imported and required, as one and the same", async () => {
    const text = await run(
      "both.mjs",
      `import { createRequire } from "node:module";
       import { QuittanceClient, QuittanceError, QuittanceConnectionError, WebhookSignatureError, verifyWebhook, verifyStandardWebhook } from "quittance-client";
       const required = createRequire(import.meta.url)("quittance-client");
       console.log(Object.keys(required).sort().join());
       console.log(required.QuittanceClient === QuittanceClient, required.QuittanceError === QuittanceError, typeof verifyWebhook, typeof verifyStandardWebhook, typeof QuittanceConnectionError, typeof WebhookSignatureError);`,
    );
    expect(text.trim().split("\n")).to.deep.equal([
      "QuittanceClient,QuittanceConnectionError,QuittanceError,WebhookSignatureError,verifyStandardWebhook,verifyWebhook",
      "true true function function function function",
    ]);
    const required = await run("cjs.cjs", 'console.log(typeof require("quittance-client").QuittanceClient)');
    expect(required).to.equal("function\n");
  });

  // Node's types and the browser's both have fetch, AbortSignal and URL; the package wants one of them.
  for (const [module, resolution, lib] of [
    ["node16", "node16", "es2022"],
    ["esnext", "bundler", "es2022"],
    ["node16", "node16", "es2022,dom"],
    ["esnext", "bundler", "es2022,dom"],
  ] as const)
    it(`has types for moduleResolution ${resolution} with lib ${lib}`, () => {
      const withNode = !lib.includes("dom");
      if (withNode)
        for (const name of ["@types/node", "undici-types"])
          cpSync(path.join(ROOT, "node_modules", name), path.join(dir, "node_modules", name), {
            recursive: true,
          });
      mkdirSync(path.join(dir, "types"), { recursive: true });
      writeFileSync(path.join(dir, "types/sample.mts"), SAMPLE);
      writeFileSync(path.join(dir, "types/sample.cts"), SAMPLE.replace(/^\/\/ @ts-expect-error[\s\S]*/m, ""));
      const files = module === "node16" ? ["types/sample.mts", "types/sample.cts"] : ["types/sample.mts"];
      const compilerOptions = {
        ...{ strict: true, noEmit: true, target: "es2022", module, moduleResolution: resolution },
        ...{ lib: lib.split(","), types: withNode ? ["node"] : [] },
      };
      writeFileSync(path.join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
      try {
        execFileSync(process.execPath, [tsc, "-p", dir], { encoding: "utf8" });
      } catch (error) {
        throw new Error((error as { stdout: string }).stdout, { cause: error });
      }
    });

  const examples = [...README.matchAll(/^## (.+)$[\s\S]*?^```js\n([\s\S]*?)^```$/gm)].map(
    ([, title = "", code = ""]) => [title, code] as const,
  );
  const example = (title: string): string => {
    const code = examples.find(([name]) => name === title)?.[1];
    if (code === undefined) throw new Error(`README.md has no ${title}`);
    return code;
  };

  it("has an example under each of these titles, and no other", () => {
    expect(examples.map(([title]) => title)).to.deep.equal([
      "An invoice",
      "Lists",
      "Webhooks",
      "Every event, in order",
      "When something is wrong",
    ]);
    expect(README.match(/^```js$/gm)).to.have.length(examples.length);
  });

  it("has the command quittance, which says what is missing", async () => {
    const command = (...args: string[]) =>
      promisify(execFile)(path.join(dir, "node_modules/.bin/quittance"), args, {
        cwd: dir,
        env: { PATH: process.env["PATH"], XDG_STATE_HOME: dir, QUITTANCE_STORE_ID: store.storeId },
      });
    const refused = async (...args: string[]): Promise<string> =>
      command(...args).then(
        () => "accepted",
        (error: { code: number; stderr: string }) => `${error.code} ${error.stderr}`,
      );
    expect((await command("--help")).stdout).to.match(/^usage: quittance listen --forward-to URL/);
    const missing = await refused("listen", "--forward-to", "http://127.0.0.1:1/");
    expect(missing).to.match(/^1 quittance: missing: --url or QUITTANCE_URL .*; QUITTANCE_API_KEY/);
    expect(missing).not.to.include("--store or");
    expect(await refused("trigger", "Paid")).to.include("there is no event Paid; there are New, Processing");
    expect(await refused("listen", "--forward-to", "localhost:4000")).to.include(
      "such as http://localhost:4000",
    );
    expect(await refused("listen", "--forward", "x")).to.include("--forward");
  });

  it("works as its README shows", async () => {
    expect(await run("invoice.mjs", example("An invoice"))).to.match(/^inv_\w+ \d+ bitcoin:\S+\nNew None\n$/);
    expect(await run("lists.mjs", example("Lists"))).to.match(/^inv_\w+ A-1001\n1 null\n$/);
    expect(await run("feed.mjs", example("Every event, in order"))).to.match(/^\d{16} New None inv_\w+\n$/);
    expect(await run("errors.mjs", example("When something is wrong"))).to.match(
      /^422 validation-failed req_\w+\n\/amount .+\n$/,
    );
  });

  it("receives webhooks as its README shows", async () => {
    const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const port = await freePort();
    writeFileSync(path.join(dir, "receiver.mjs"), example("Webhooks"));
    const child = spawn(process.execPath, ["receiver.mjs"], {
      cwd: dir,
      env: { PATH: process.env["PATH"], PORT: String(port), QUITTANCE_WEBHOOK_SECRET: secret },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    try {
      const body =
        '{"type":"Settled","invoiceId":"inv_1","metadata":{"orderId":"A-1"},"additionalStatus":"None"}';
      const post = (signature: string) =>
        fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: { "x-service-sig": signature }, body });
      const right = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
      await eventually(async () => (await post(right).catch(() => null))?.status === 200);
      await eventually(() => expect(output).to.equal("Settled None A-1\n")); // it may come after the answer
      expect((await post("sha256=00")).status).to.equal(401);
      expect(output).to.equal("Settled None A-1\n");
    } finally {
      child.kill("SIGKILL");
    }
  });
});
