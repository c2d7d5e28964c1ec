import { expect } from "chai";
import type { z } from "zod";
import { BODY_MAX_BYTES } from "../../api/http/middleware/body";
import { NOT_FOUND, pathParameters } from "../../api/http/operation-errors";
import type { Route } from "../../api/http/route";
import { validate } from "../../api/http/validate";
import { templatedPath } from "../../api/openapi/operation";
import { ROUTES } from "../../api/route-table";
import type { DomainError } from "../../domain/errors";
import { allows, wrongValuesOf, type Schema } from "../support/json-schema";
import { readDescription, resolved, type DescribedOperation, type Description } from "./description";
import { filledPath, makeWorld, startExampleApi, type ExampleWorld } from "./example-world";
import { pointers, type Answer, type TestApi, expectRefused } from "./server";

const BROKEN_IDS = ["unknown", "%00", "a%2Fb", "%zz", "x".repeat(300)];
/** What these texts say is read later, by `domain/money`; `openapi.test` compares it with the description. */
const READ_LATER = ["/amounts", "/minAmount", "/maxAmount", "/amount", "/currency", "/defaultCurrency"];
const OF_STORE = ROUTES.filter(({ path }) => path.startsWith("/stores/:storeId"));

describe("API: what every route refuses", () => {
  let api: TestApi;
  let mine: ExampleWorld;
  let theirs: ExampleWorld;
  let description: Description;
  before(async () => {
    api = await startExampleApi();
    [mine, theirs] = [await makeWorld(api), await makeWorld(api)];
    description = await readDescription(api.base);
  });
  after(() => api.stop());

  const describedAs = ({ operationId }: Route) =>
    description.operations.find((one) => one.operationId === operationId) as DescribedOperation;
  const schemaOf = (route: Route): Schema =>
    resolved(describedAs(route).requestBody?.content["application/json"].schema ?? {}, description.schemas);
  /** A valid body, so that nothing but what is tried stands in the way. */
  const bodyOf = (route: Route) => (route.body === null ? undefined : (schemaOf(route).examples?.[0] ?? {}));
  const queryOf = (route: Route) =>
    describedAs(route)
      .parameters.filter((one) => one.in === "query" && one.required === true)
      .map(({ name, schema: { examples = [] } }) => `${name}=${encodeURIComponent(String(examples[0]))}`);
  function ask(
    route: Route,
    given: {
      ids?: Record<string, string>;
      key?: string | undefined;
      query?: string[];
      body?: unknown;
      headers?: Record<string, string>;
    } = {},
  ): Promise<Answer> {
    const { ids = {}, query = [], ...options } = given;
    const path = filledPath(templatedPath(route.path), { ...mine, ids: { ...mine.ids, ...ids } });
    return api.call(route.method.toUpperCase(), [path, [...queryOf(route), ...query].join("&")].join("?"), {
      key: mine.apiKey,
      body: bodyOf(route),
      ...options,
    });
  }
  function expectWrong(answer: Answer, pointer: string): void {
    expectRefused(answer, 422, "validation-failed");
    expect(pointers(answer)).to.include(pointer);
  }
  /** Without a request each: there are thousands of them. A pointer may stop at a list or go on into it. */
  function refuses(schema: z.ZodType, value: unknown, pointer: string): void {
    const what = `${pointer} of ${JSON.stringify(value).slice(0, 300)}`;
    let found: string[] | null = null;
    try {
      validate(schema, value);
    } catch (error) {
      found = (error as DomainError).errors.map((one) => one.pointer);
    }
    expect(found, `${what} is accepted`).not.to.equal(null);
    const near = found?.some((one) => one.startsWith(pointer) || pointer.startsWith(one));
    expect(near, `${what} is refused at ${String(found)}`).to.equal(true);
  }
  const rows = () =>
    api.db.query<object[]>(
      `SELECT (SELECT json_agg(s ORDER BY id) FROM stores s)::text, (SELECT json_agg(i ORDER BY id) FROM invoices i)::text,
              (SELECT json_agg(w ORDER BY id) FROM webhooks w)::text, (SELECT json_agg(d ORDER BY id) FROM webhook_deliveries d)::text,
              (SELECT json_agg(a ORDER BY id) FROM alerts a)::text, (SELECT count(*) FROM api_keys)::text,
              (SELECT json_agg(a ORDER BY id) FROM audit_log a)::text`,
    );
  let unchanged: object[];
  before(async () => (unchanged = await rows()));
  afterEach(async () => expect(await rows()).to.deep.equal(unchanged));

  for (const route of ROUTES) {
    it(`${route.operationId}: whoever has no key, or a wrong one`, async () => {
      for (const key of [undefined, "", "nonsense", mine.apiKey.slice(0, -1), `sk_live_${"0".repeat(49)}`])
        expectRefused(await ask(route, { key }), 401, "unauthenticated");
    });

    it(`${route.operationId}: queries and bodies outside of its description, pointing at what is wrong`, async () => {
      expectWrong(await ask(route, { query: ["colour=1"] }), "/colour");
      for (const { name, schema } of describedAs(route).parameters.filter((one) => one.in === "query"))
        for (const text of ["", "0", "-1", "201", "1.5", "x", "x".repeat(301)]) {
          const { items = schema, type } = schema;
          const value = type === "integer" && /^\d+$/.test(text) ? Number(text) : text;
          if (!allows(items, value, description.schemas)) refuses(route.query, { [name]: text }, `/${name}`);
        }
      for (const { name, in: place, required } of describedAs(route).parameters)
        if (place === "query" && required === true) refuses(route.query, {}, `/${name}`);
      if (route.body === null) return;
      expectWrong(await ask(route, { body: { colour: 1 } }), "/colour");
      for (const { value, pointer } of wrongValuesOf(schemaOf(route), description.schemas))
        if (!READ_LATER.includes(pointer.replace(/\/\d+$/, ""))) refuses(route.body, value, pointer);
    });

    if (route.body !== null)
      it(`${route.operationId}: bodies that are no JSON, of another type, or too large`, async () => {
        expectRefused(await ask(route, { body: '{"a":' }), 400, "malformed-request");
        const type = await ask(route, { headers: { "content-type": "text/plain" } });
        expectRefused(type, 415, "unsupported-media-type");
        const large = `{}${" ".repeat(route.bodyMaxBytes ?? BODY_MAX_BYTES)}`;
        expectRefused(await ask(route, { body: large }), 413, "body-too-large");
      });
  }

  for (const route of OF_STORE)
    it(`${route.operationId}: a key of another store, as for a store that does not exist`, async () => {
      const bodies = new Set<string>();
      for (const storeId of [theirs.ids["storeId"] ?? "", "1".repeat(44), "%00", "x"]) {
        const answer = await ask(route, { ids: { ...theirs.ids, storeId } });
        expectRefused(answer, 403, "store-mismatch");
        bodies.add(answer.text.replace(answer.json.requestId, ""));
      }
      expect(bodies.size).to.equal(1);
    });

  for (const route of OF_STORE.filter(({ path }) => pathParameters(path).length > 1))
    it(`${route.operationId}: what another store has, and what nobody has`, async () => {
      const names = pathParameters(route.path).slice(1);
      const { storeId = "" } = mine.ids;
      expectRefused(await ask(route, { ids: { ...theirs.ids, storeId } }), 404, NOT_FOUND[names[0] ?? ""]);
      for (const name of names)
        for (const id of BROKEN_IDS)
          expectRefused(await ask(route, { ids: { [name]: id } }), 404, NOT_FOUND[name]);
    });
});
