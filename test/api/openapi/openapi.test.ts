import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { describeApi } from "../../../api/openapi/document";
import { route } from "../../../api/http/route";
import { PUBLIC_ROUTES, ROUTES } from "../../../api/route-table";
import { INVOICE_EXAMPLE } from "../../../api/invoices/answer";
import { noQuery } from "../../../api/http/schemas/text";
import { webhookEvent, webhookHeaders } from "../../../api/webhooks/event";
import { decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { paymentUri } from "../../../domain/invoice/payment-uri";
import { EVENT_TYPES } from "../../../domain/invoice/status";
import { eventBody } from "../../../domain/webhook/body";
import { serviceSignature, signatureHeaders, standardSignature } from "../../../domain/webhook/signature";
import { z } from "zod";
import type { Schema } from "../../support/json-schema";
import { needs } from "../../support/needs";
import { readDescription, resolved, type Description } from "../description";
import { filledPath, makeWorld, startExampleApi } from "../example-world";
import { send, type TestApi } from "../server";

/** Whether a schema of a text or a number allows the value. */
function fits(schema: Schema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => fits(one, value));
  if (typeof value !== schema.type) return false;
  if (typeof value === "number")
    return value >= (schema.minimum ?? -Infinity) && value < (schema.exclusiveMaximum ?? Infinity);
  const text = String(value);
  return new RegExp(schema.pattern ?? "").test(text) && text.length <= (schema.maxLength ?? Infinity);
}

describe("API: its description", () => {
  let api: TestApi;
  let description: Description;
  before(async () => {
    api = await startExampleApi();
    description = await readDescription(api.base);
  });
  after(() => api.stop());

  it("is the same without a key at /openapi.json and with any store's key below /api/v1", async () => {
    const open = await send(api.base, "GET", "/openapi.json");
    expect([open.status, open.headers.get("content-type")]).to.deep.equal([
      200,
      "application/json; charset=utf-8",
    ]);
    expect((await api.call("GET", "/openapi.json")).status).to.equal(401);
    const { apiKey } = await makeWorld(api);
    expect((await api.call("GET", "/openapi.json", { key: apiKey })).text).to.equal(open.text);
  });

  it("is sent again only when it changed", async () => {
    const first = await send(api.base, "GET", "/openapi.json");
    const etag = first.headers.get("etag") ?? "";
    // Without this Node's fetch asks for a fresh one.
    const asked = { "cache-control": "max-age=0" };
    const again = await send(api.base, "GET", "/openapi.json", {
      headers: { ...asked, "if-none-match": etag },
    });
    expect([again.status, again.text]).to.deep.equal([304, ""]);
    const other = await send(api.base, "GET", "/openapi.json", {
      headers: { ...asked, "if-none-match": '"x"' },
    });
    expect([other.status, other.text]).to.deep.equal([200, first.text]);
  });

  it("has every route of the router, each once", () => {
    const routes = [...ROUTES, ...PUBLIC_ROUTES];
    const ids = description.operations.map(({ operationId }) => operationId);
    expect(ids).to.have.members(routes.map(({ operationId }) => operationId));
    expect(new Set(ids).size).to.equal(routes.length);
    const places = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ":")}`);
    expect(new Set(places).size).to.equal(routes.length);
  });

  it("lists exactly the methods that the API accepts for each path", async () => {
    const world = await makeWorld(api);
    for (const path of new Set(description.operations.map((one) => one.path))) {
      const own = description.operations.filter((one) => one.path === path).map(({ method }) => method);
      const allow = [...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
      const others = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !own.includes(method));
      for (const method of [...others, "OPTIONS"]) {
        const answer = await api.call(method, filledPath(path, world), { key: world.apiKey });
        expect(answer.status, `${method} ${path}`).to.equal(method === "OPTIONS" ? 204 : 405);
        expect(answer.headers.get("allow")?.split(", "), `${method} ${path}`).to.have.members(allow);
      }
    }
  });

  it("has the bounds of decimal strings", async () => {
    const { apiKey, ids } = await makeWorld(api);
    const stores = `/stores/${ids["storeId"]}`;
    const ask = (field: string, value: unknown, sample: object) =>
      field in sample
        ? api.call("POST", `${stores}/invoices`, { key: apiKey, body: { ...sample, [field]: value } })
        : api.call("PATCH", stores, { key: apiKey, body: { [field]: value } });
    const percents = ["0", "99.9999", "100", "-1", "1.23456", "1e1", "", " 5", 0, 99.9999, 100, -0.5, null];
    const amounts = ["1", "12.50", "01", "1.", ".5", "-1", "+1", "1e3", " 1", "", `${"9".repeat(40)}1`, 7];
    const currencies = ["EUR", "SATS", "eur", "EURO5", "E", "", 978];
    const price = { amount: "12", currency: "SATS" };
    for (const [schema, field, values, sample] of [
      ["CreateInvoice", "paymentTolerance", percents, { ...price, paymentTolerance: 0 }],
      ["ChangeStore", "paymentTolerance", percents, {}],
      ["ChangeStore", "rateSpread", percents, {}],
      ["CreateInvoice", "amount", amounts, { amount: "1", currency: "BTC" }],
      ["CreateInvoice", "currency", currencies, price],
      ["ChangeStore", "defaultCurrency", currencies, {}],
    ] as const) {
      const described = description.schemas[schema]?.properties?.[field] ?? {};
      for (const value of values) {
        const { status, text } = await ask(field, value, sample);
        const refused = status === 422 && text.includes(`/${field}`);
        expect(refused, `${schema} ${field} ${JSON.stringify(value)}: ${text}`).to.equal(
          !fits(described, value),
        );
      }
    }
  });

  it("refuses one name for two schemas", () => {
    const named = (value: z.ZodType) => z.strictObject({ value }).meta({ id: "Twofold" });
    const shape = { method: "post", query: noQuery, success: 200, errors: [], tags: ["Server"] } as const;
    const twofold = route({
      ...shape,
      path: "/twofold",
      operationId: "twofold",
      summary: "One name, two things",
      body: named(z.string()),
      answer: z.strictObject({ inner: named(z.number()) }),
      handle: () => Promise.resolve(undefined),
    });
    expect(() => describeApi([twofold], "1")).to.throw("Twofold");
  });

  describe("its examples", () => {
    it("exist for every body with fields, and the API accepts each of them", async () => {
      for (const { method, path, operationId, requestBody } of description.operations) {
        if (requestBody === undefined) continue;
        const schema = resolved(requestBody.content["application/json"].schema, description.schemas);
        const fields = Object.keys(schema.properties ?? {});
        const { examples = [] } = schema;
        if (fields.length > 0) expect(examples, `${operationId} has no example`).not.to.deep.equal([]);
        for (const body of examples) {
          const world = await makeWorld(api);
          const answer = await api.call(method, filledPath(path, world), { key: world.apiKey, body });
          // Of the examples: nothing answers at the node's address, and keys are no admins.
          const status = operationId === "connectLightning" ? [403, 422] : [200, 201, 202, 204];
          expect(status, `${operationId} ${JSON.stringify(body)}: ${answer.text}`).to.include(answer.status);
          if (answer.status === 422) expect(answer.text).to.include('"/address"');
        }
      }
    });

    it("of curl run as they are, and do what the operation describes", async function () {
      this.timeout(240_000);
      needs(this, "sh", "curl");
      const unchanged = await makeWorld(api);
      for (const operation of description.operations) {
        const world = operation.method === "GET" ? unchanged : await makeWorld(api);
        const ids = Object.entries(world.ids).map(([name, id]) => [
          name.replaceAll(/[A-Z]/g, "_$&").toUpperCase(),
          id,
        ]);
        const env = {
          PATH: process.env["PATH"],
          BASE_URL: api.base,
          API_KEY: world.apiKey,
          ...(Object.fromEntries(ids) as object),
        };
        const [{ source }] = operation["x-codeSamples"];
        const { stdout } = await promisify(execFile)(
          "sh",
          ["-c", `${source} -o /dev/null -w '%{http_code}'`],
          { env },
        );
        const documented = Object.keys(operation.responses);
        expect(documented, `${operation.operationId}: ${source}`).to.include(stdout);
        const unreachable = operation.operationId === "connectLightning" && stdout === "422";
        if (!unreachable)
          expect(stdout, `${operation.operationId}: ${source}`).to.match(/^2|403|404|409|503/);
      }
    });

    it("of answers are valid answers, and every answer with an object of its own has one", () => {
      for (const { operationId, answer } of [...ROUTES, ...PUBLIC_ROUTES]) {
        if (answer === null) continue;
        const { id = "", examples } = answer.meta() ?? {};
        if (!/Page$|^Description$/.test(id))
          expect(examples, operationId).to.be.an("array").that.is.not.empty;
        for (const example of Array.isArray(examples) ? examples : [])
          expect(answer.safeParse(example).error?.issues, operationId).to.equal(undefined);
      }
    });

    it("of problems are what is answered", async () => {
      const { apiKey, ids } = await makeWorld(api);
      const path = `/stores/${ids["storeId"]}/invoices`;
      const valid = { amount: "1000", currency: "SATS" };
      const post = (body: unknown, headers = {}) => api.call("POST", path, { key: apiKey, body, headers });
      const answers = [
        await post("{"),
        await api.call("POST", path),
        await api.call("POST", "/stores/another/invoices", { key: apiKey }),
        await post("x".repeat(256 * 1024 + 1)),
        await post(valid, { "content-encoding": "gzip" }),
        await post({ ...valid, colour: "red" }),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal([400, 401, 403, 413, 415, 422]);
      // Operations share a response of one code alone; 403 has another code where the path has a store.
      const { responses } =
        description.operations.find(({ operationId }) => operationId === "createInvoice") ?? {};
      const refused = responses?.["403"] as { content: { "application/problem+json": { examples: object } } };
      const examples = Object.assign(
        {},
        refused.content["application/problem+json"].examples,
        ...Object.values(description.problems),
      ) as Record<string, object>;
      for (const { json } of answers) {
        const { value } = examples[json.code] as { value: object };
        expect({ ...json, requestId: "" }).to.deep.equal({ ...value, requestId: "" });
      }
    });

    it("of an invoice are consistent", () => {
      const [chain, lightning] = INVOICE_EXAMPLE.paymentMethods;
      const amountSats = BigInt(INVOICE_EXAMPLE.dueSats);
      const uri = (address: string | null, bolt11: string | null) =>
        paymentUri({ address, amountSats, bolt11 });
      expect([chain.paymentUri, lightning.paymentUri, INVOICE_EXAMPLE.paymentUri]).to.deep.equal([
        uri(chain.destination, null),
        uri(null, lightning.destination),
        uri(chain.destination, lightning.destination),
      ]);
      const { amountMsat, network, description, timestampSeconds, expirySeconds } = decodeBolt11(
        lightning.destination,
      );
      expect({ amountMsat, network, description }).to.deep.equal({
        amountMsat: amountSats * 1_000n,
        network: "mainnet",
        description: INVOICE_EXAMPLE.description,
      });
      const times = [timestampSeconds, timestampSeconds + expirySeconds].map((at) =>
        new Date(at * 1_000).toISOString(),
      );
      expect(times).to.deep.equal([INVOICE_EXAMPLE.createdAt, INVOICE_EXAMPLE.expiresAt]);
    });
  });

  it("describes the webhook that is sent", () => {
    const body = eventBody({
      type: "Expired",
      invoiceId: "inv_x",
      metadata: '{"orderId":"A-1"}',
      additionalStatus: "Underpaid",
    });
    expect(webhookEvent.safeParse(JSON.parse(body.toString())).error).to.equal(undefined);
    for (const example of (webhookEvent.meta()?.["examples"] ?? []) as unknown[])
      expect(webhookEvent.safeParse(example).error).to.equal(undefined);
    const headers = signatureHeaders({
      body,
      secret: `whsec_${Buffer.alloc(32).toString("base64")}`,
      eventId: "evt_x",
      deliveryId: "whd_x",
      storeId: "s",
      attempt: 1,
      timestampSeconds: 1_800_000_000,
      userAgent: "Quittance/test",
      test: true,
    });
    const { "Content-Type": type, "User-Agent": agent, ...own } = headers;
    expect([type, agent]).to.deep.equal(["application/json", "Quittance/test"]);
    const named = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
    expect(webhookHeaders.strict().safeParse(named).error).to.equal(undefined);
  });
});

describe("API: the API reference", () => {
  let api: TestApi;
  before(async () => (api = await startExampleApi()));
  after(() => api.stop());

  const TYPES: [RegExp, string][] = [
    [/\.css$/, "text/css; charset=utf-8"],
    [/\.js$/, "text/javascript; charset=utf-8"],
    [/\.png$/, "image/png"],
  ];

  it("is at most 500 kB to load, compressed", async () => {
    const load = async (link: string, encoding: string) => {
      const { headers, text } = await send(api.base, "GET", new URL(link, `${api.base}/docs`).pathname, {
        headers: { "accept-encoding": encoding },
      });
      return { headers, text };
    };
    const { text } = await load("/docs", "identity");
    const links = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, link = ""]) => link);
    for (const encoding of ["br", "gzip"]) {
      let bytes = 0;
      for (const link of ["/docs", ...links]) {
        const { headers } = await load(link, encoding);
        const isImage = link.endsWith(".png");
        expect(headers.get("content-encoding"), link).to.equal(isImage ? null : encoding);
        bytes += Number(headers.get("content-length"));
      }
      if (encoding === "br") expect(bytes).to.be.below(500_000);
    }
  });

  it("requests no other host, and runs neither inline nor foreign scripts", async () => {
    const page = await send(api.base, "GET", "/docs");
    expect([page.status, page.headers.get("content-type")]).to.deep.equal([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const links = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = ""]) => link);
    const files = links.filter((link) => !link.startsWith("#"));
    expect(files).to.have.length(7);
    for (const link of files) {
      const url = new URL(link, `${api.base}/docs`);
      expect(url.origin).to.equal(api.base);
      const file = await send(api.base, "GET", url.pathname);
      expect(file.status, link).to.equal(200);
      const type = TYPES.find(([pattern]) => pattern.test(link))?.[1] ?? "application/json; charset=utf-8";
      expect(file.headers.get("content-type"), link).to.equal(type);
      const kept = /\/\d+\.\d+\.\d+\//.test(link) ? "public, max-age=31536000, immutable" : "no-cache";
      expect(file.headers.get("cache-control"), link).to.equal(kept);
    }
  });

  it("shows every sample and receiver of the documents", async () => {
    const { text } = await send(api.base, "GET", "/docs");
    const shown = text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<");
    const code = shown.replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    for (const folder of ["receivers", "samples"].map((name) => path.join(__dirname, "../../../docs", name)))
      for (const file of readdirSync(folder))
        expect(code, file).to.include(`<code>${readFileSync(path.join(folder, file), "utf8")}</code>`);
  });

  it("has each header and field of a webhook, each event, and an example with valid signatures", async () => {
    const { text } = await send(api.base, "GET", "/docs");
    const heads = [...text.matchAll(/<th scope="row"><code>([^<]+)<\/code>/g)].map(([, head]) => head);
    const types = heads.splice(-8).map((head = "") => head.split(" / ")[0]);
    expect(heads).to.deep.equal([...Object.keys(webhookHeaders.shape), ...Object.keys(webhookEvent.shape)]);
    expect([...new Set(types)]).to.have.members([...EVENT_TYPES]);
    const shown = text.replaceAll("&quot;", '"');
    const [, head = "", body = ""] =
      /<code>POST \/webhook HTTP\/1\.1\n([^{]+)\n\n(\{.*\})<\/code>/.exec(shown) ?? [];
    const headers: Record<string, string> = Object.fromEntries(
      head.split("\n").map((line) => [line.split(": ")[0]?.toLowerCase() ?? "", line.split(": ")[1] ?? ""]),
    );
    const [, secret = ""] = /<code>(whsec_[^<]+)<\/code>/.exec(text) ?? [];
    expect(headers["x-service-sig"]).to.equal(serviceSignature(Buffer.from(body), secret));
    expect(headers["webhook-signature"]).to.equal(
      standardSignature(
        headers["webhook-id"] ?? "",
        Number(headers["webhook-timestamp"]),
        Buffer.from(body),
        secret,
      ),
    );
  });

  it("serves nothing else of the package", async () => {
    for (const path of [
      "/docs/index.html",
      "/docs/5.35.0/package.json",
      "/docs/..%2fpackage.json",
      "/docs/x",
    ]) {
      const answer = await send(api.base, "GET", path);
      expect([answer.status, answer.json.code], path).to.deep.equal([404, "route-not-found"]);
    }
    const posted = await send(api.base, "POST", "/docs");
    expect([posted.status, posted.headers.get("allow")]).to.deep.equal([405, "HEAD, GET, OPTIONS"]);
  });

  it("is like all of the API for its own origin only: no CORS header for anyone", async () => {
    const { apiKey, ids } = await makeWorld(api);
    const headers = { origin: "https://evil.example" };
    const preflight = {
      ...headers,
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-api-key",
    };
    for (const path of [
      "/openapi.json",
      "/docs",
      `/api/v1/stores/${ids["storeId"]}/invoices`,
      "/api/v1/health",
    ])
      for (const [method, sent] of [
        ["GET", headers],
        ["OPTIONS", preflight],
      ] as const) {
        const answer = await send(api.base, method, path, { key: apiKey, headers: sent });
        expect(answer.status, `${method} ${path}`).to.equal(method === "GET" ? 200 : 204);
        const names = [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));
        expect(names, `${method} ${path}`).to.deep.equal([]);
      }
  });
});
