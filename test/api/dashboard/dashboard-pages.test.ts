import { request } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { etagOf } from "../../../api/http/built-files";
import { readDashboard, type DashboardFiles } from "../../../api/dashboard/dashboard-files";
import { builtDashboard } from "../../support/built-dashboard";
import { startApi, type TestApi } from "../server";

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

describe("the dashboard's pages", function () {
  this.timeout(60_000);
  let api: TestApi;
  let files: DashboardFiles;
  before(async () => {
    files = await builtDashboard();
    api = await startApi({ parts: { dashboard: files } });
  });
  after(() => api.stop());

  /** Without what fetch does by itself: bytes as they come. */
  const raw = (url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Raw> =>
    new Promise((resolve, reject) => {
      request(url, { headers, method }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      })
        .on("error", reject)
        .end();
    });
  const get = (below: string, headers?: Record<string, string>) => raw(api.base + below, headers);
  const script = (): string =>
    [...files.files.keys()].find((name) => /assets\/index-.*\.js$/.test(name)) ?? "";

  it("are one document at every address of a page, never cached", async () => {
    const store = "/stores/4wBqpZM9k2mAgN8rTzZy7VdQ3hUuFLcXeJ5sRtGbKoPq";
    const paths = [
      "/",
      "/login",
      "/setup",
      "/stores",
      "/invoices/inv_4wBqpZM9k2mAgN8rTzZy7VdQ",
      store,
      `${store}/webhooks/wh_1/deliveries/whd_1`,
    ];
    for (const page of [...paths, "/account", "/admin/users", "/admin/health", "/admin/audit"]) {
      const { status, headers, body } = await get(page);
      expect(status, page).to.equal(200);
      expect(headers["content-type"]).to.equal("text/html; charset=utf-8");
      expect(headers["cache-control"]).to.equal("no-store");
      expect(body.toString()).to.include('<div id="root">');
    }
  });

  it("exist nowhere else: other addresses are unchanged", async () => {
    for (const page of [
      "/api/v1/nothing",
      "/api/dashboard/nothing",
      "/anything",
      "/assets/no.js",
      "/storesx",
      "/setup/a-token",
      "/index.html",
    ]) {
      const { status, headers } = await get(page);
      expect(status, page).to.be.within(400, 499);
      expect(headers["content-type"], page).to.match(/^application\/problem\+json/);
    }
  });

  it("answer no other method", async () => {
    const { status, headers } = await raw(`${api.base}/login`, {}, "POST");
    expect(status).to.equal(405);
    expect(headers["allow"]).to.equal("HEAD, GET, OPTIONS");
  });

  it("run no inline script, and allow only styles with their own nonce, a new one each time", async () => {
    const answers = [await get("/login"), await get("/login")];
    const nonces = answers.map(({ headers, body }) => {
      const policy = String(headers["content-security-policy"]);
      const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
      expect(nonce).to.have.length.greaterThan(20);
      expect(policy).to.include("default-src 'none'").and.include("script-src 'self';");
      expect(policy).not.to.include("unsafe");
      expect(policy).to.include("frame-ancestors 'none'");
      expect(body.toString()).to.include(`nonce="${nonce}"`);
      expect(body.toString()).not.to.match(/<script(?![^>]*\bsrc=)/);
      expect(body.toString()).not.to.match(/%[A-Z]+%/);
      return nonce;
    });
    expect(nonces[0]).not.to.equal(nonces[1]);
  });

  it("send forms to the service alone, and the page that gives a key also to the redirect's origin", async () => {
    const formTo = async (page: string, from = api): Promise<string> => {
      const { status, headers } = await raw(from.base + page);
      expect(status, page).to.equal(200);
      const policy = String(headers["content-security-policy"]);
      expect(policy).to.include("frame-ancestors 'none'");
      expect(headers["x-frame-options"]).to.equal("DENY");
      return /form-action ([^;]+)/.exec(policy)?.[1] ?? "";
    };
    const to = (redirect: string): string => `redirect=${encodeURIComponent(redirect)}`;
    const shop = to("https://shop.example:8443/wc-api/x?secret=1");
    for (const page of ["/api-keys/authorize", "/api-keys/authorize/"])
      expect(await formTo(`${page}?permissions=a&permissions=b&${shop}`)).to.equal(
        "'self' https://shop.example:8443",
      );
    for (const page of ["/", "/login", "/stores", "/account"])
      expect(await formTo(`${page}?${shop}`), page).to.equal("'self'");
    for (const query of [
      "",
      "?redirect=",
      `?${shop}&${shop}`,
      ...[
        "javascript:alert(1)",
        "//shop.example/",
        "https://*.example/",
        "https://a:b@shop.example/",
        "https://[::1]/",
        "https://shop.example;script-src *",
        "https://shop.example\r\nset-cookie: a=b",
      ].map((redirect) => `?${to(redirect)}`),
    ])
      expect(await formTo(`/api-keys/authorize${query}`), query).to.equal("'self'");
    const plain = `/api-keys/authorize?${to("http://shop.example/")}`;
    expect(await formTo(plain)).to.equal("'self' http://shop.example");
    const mainnet = await startApi({ db: api.db, parts: { dashboard: files, network: "mainnet" } });
    expect(await formTo(plain, mainnet)).to.equal("'self'");
    await mainnet.listening.close();
  });

  it("load files that are cached for ever, compressed as the browser supports", async () => {
    const plain = readFileSync(path.join(__dirname, "../../../.test/web/dashboard", script()));
    const cases: [string, string | undefined, (body: Buffer) => Buffer][] = [
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["gzip", "gzip", gunzipSync],
      ["br;q=0, gzip", "gzip", gunzipSync],
      ["identity", undefined, (body) => body],
    ];
    for (const [accepted, encoding, read] of cases) {
      const { status, headers, body } = await get(`/${script()}`, { "accept-encoding": accepted });
      expect(status).to.equal(200);
      expect(headers["content-encoding"], accepted).to.equal(encoding);
      expect(headers["content-type"]).to.equal("text/javascript; charset=utf-8");
      expect(headers["cache-control"]).to.equal("public, max-age=31536000, immutable");
      expect(headers["vary"]).to.match(/accept-encoding/i);
      expect(read(body).equals(plain)).to.equal(true);
    }
  });

  it("work below a path of their host when PUBLIC_URL has one", async () => {
    const below = await startApi({
      db: api.db,
      parts: { dashboard: files, publicUrl: "https://shop.example/pay" },
    });
    const { body } = await raw(`${below.base}/login`);
    expect(body.toString()).to.include('<base href="/pay/"');
    await below.listening.close();
  });

  it("are missing when they were not built", async () => {
    const without = await startApi({ db: api.db });
    const { status } = await raw(`${without.base}/login`);
    expect(status).to.equal(404);
    await without.listening.close();
    expect(readDashboard(path.join(__dirname, "no such folder"))).to.equal(null);
  });

  it("serve files that have no compressed form too", () => {
    const parent = path.join(__dirname, "../../../.test");
    mkdirSync(parent, { recursive: true });
    const folder = mkdtempSync(path.join(parent, "pages-"));
    writeFileSync(path.join(folder, "index.html"), "<p>");
    const content = Buffer.from("a picture");
    writeFileSync(path.join(folder, "logo.png"), content);
    writeFileSync(path.join(folder, "manifest.json"), "{}");
    const read = readDashboard(folder);
    rmSync(folder, { recursive: true });
    expect([...(read?.files ?? [])]).to.deep.equal([
      ["logo.png", { type: "image/png", content, br: null, gzip: null, etag: etagOf(content) }],
    ]);
  });
});
