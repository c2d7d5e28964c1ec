import { expect } from "chai";
import fc from "fast-check";
import { valuesOf, type Schema } from "../support/json-schema";
import { readDescription, resolved, type DescribedOperation } from "../api/description";
import { filledPath, makeWorld, startExampleApi } from "../api/example-world";
import type { TestApi } from "../api/server";

// Every operation of the description, driven by what the description says of it and by what it does not allow. That an
// error is problem details of a declared code, and an answer as described, `send` sees to.

/** A server admin's, not a key's. */
const REFUSED_TO_KEYS = ["readLightning", "connectLightning", "removeLightning"];

/** Of an operation, a round. The first round is always finished. */
const RUNS = 12;
const TIME_LIMIT_MS = 12_000;
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);

/** What has broken parsers and databases elsewhere. */
const NASTY = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      "",
      "\0",
      "a\0b",
      "\ud800",
      "\udc00x",
      "\u202e",
      "ﷺ".repeat(300),
      "x".repeat(3_000),
      "' OR 1=1 --",
      "${7*7}",
    ],
    ...[
      "1e999",
      "-0",
      "00",
      "NaN",
      "0x10",
      "9".repeat(400),
      "__proto__",
      "javascript:alert(1)",
      "file:///etc/passwd",
    ],
    ...[
      "http://[::1]:1/",
      "http://169.254.169.254/",
      "//x",
      "%00",
      "2026-02-30T00:00:00Z",
      "0000-00-00T00:00:00Z",
    ],
    ...[null, true, 0, -1, -0.5, 1.5, 2 ** 31, 2 ** 53, 1e308, -1e308, [], {}, [[]], [null], { "": 0 }],
    { orderId: 7 },
    { constructor: { prototype: 1 } },
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const BROKEN_IDS = fc.oneof(
  fc.constantFrom(
    "%00",
    "%zz",
    "a%2Fb",
    "%ED%A0%80",
    "null",
    "0",
    "x".repeat(300),
    "%27%3B--",
    "inv_unknown",
    "*",
    "%",
  ),
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
    .map(encodeURIComponent)
    .filter((id) => !/^\.+$/.test(id)),
);

/** Text that no JSON.stringify would write. */
const BROKEN_TEXT = fc.constantFrom<(text: string) => string>(
  (text) => text.replace(/}$/, ',"amount":"1","amount":"2"}'),
  (text) => text.replace(/}$/, `${text === "{}" ? "" : ","}"__proto__":{"x":1}}`),
  (text) => text.replace(/"[^"]*"(?=[,}])/, "1e999"),
  (text) => text.replace(/"[^"]*"(?=[,}])/, "123456789012345678901234567890.5"),
  (text) => text.replace(/"[^"]*"(?=[,}])/, '"\\u0000"'),
  (text) => text.replace(/"[^"]*"(?=[,}])/, '"\\ud83d"'),
  (text) => text.replace(/"[^"]*"(?=[,}])/, "[".repeat(5_000) + "]".repeat(5_000)),
  (text) => text.replace(/"[^"]*"(?=[,}])/, '{"a":'.repeat(3_000) + "1" + "}".repeat(3_000)),
  (text) => text.slice(0, -1),
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  (text) => text.replace("{", "{\0"),
  (text) => `[${text}]`,
  () => "null",
  () => '"x"',
  () => "[".repeat(20_000),
);

const HEADERS = fc.constantFrom<Record<string, string>>(
  { "content-type": "text/plain" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "application/merge-patch+json" },
  { "content-type": "nonsense" },
  { "content-encoding": "gzip" },
  { "idempotency-key": "x".repeat(300) },
  { "idempotency-key": '"open' },
  { accept: "text/html" },
  { "x-forwarded-for": "not, an, address" },
  { range: "bytes=0-1" },
);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Puts one wrong value somewhere into a right one. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  if (!isObject(value)) return NASTY;
  const names = Object.keys(value);
  const at = (name: string, member: fc.Arbitrary<unknown>) =>
    member.map((wrong) => ({ ...value, [name]: wrong }));
  const unknown = fc
    .oneof(fc.constantFrom("colour", "", "a/b~c", "constructor", "\0"), fc.string({ maxLength: 8 }))
    .chain((name) => at(name, NASTY));
  if (names.length === 0) return unknown;
  const name = fc.constantFrom(...names);
  return fc.oneof(
    unknown,
    name.chain((one) => at(one, NASTY)),
    name.chain((one) => at(one, mutated(value[one]))),
    name.map((one) => Object.fromEntries(Object.entries(value).filter(([other]) => other !== one))),
    NASTY,
  );
}

interface Request {
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
  key: "own" | "none" | "broken";
}

const rarely = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: usual, weight: 5 }, { arbitrary: rare, weight: 1 });

/** `{name}` stays for a thing that is there. */
function pathsOf({ path, parameters }: DescribedOperation): fc.Arbitrary<string> {
  const names = parameters.filter((one) => one.in === "path").map(({ name }) => name);
  if (names.length === 0) return fc.constant(path);
  const broken = fc
    .tuple(fc.constantFrom(...names), BROKEN_IDS)
    .map(([name, id]) => path.replace(`{${name}}`, () => id));
  return rarely(fc.constant(path), broken);
}

function queriesOf(
  { parameters }: DescribedOperation,
  components: Record<string, Schema>,
): fc.Arbitrary<string> {
  const known = parameters
    .filter((one) => one.in === "query")
    .map(({ name, schema }) =>
      fc
        .option(rarely(valuesOf(schema, components), NASTY), { freq: 2, nil: undefined })
        // A reader that waits for events has a test of its own.
        .map((value) => (name === "wait" ? undefined : value))
        .map((value) =>
          (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(
            (one): [string, unknown] => [name, one],
          ),
        ),
    );
  const unknown = rarely<[string, unknown][]>(
    fc.constant([]),
    fc.tuple(fc.string({ maxLength: 6 }), NASTY).map((pair) => [pair]),
  );
  return fc.tuple(...known, unknown).map((pairs) => {
    const texts = pairs.flat().map(([name, value]): [string, string] => [String(name), textOf(value)]);
    return texts.length === 0 ? "" : `?${new URLSearchParams(texts).toString()}`;
  });
}

/** An object has no text of its own, and one without a prototype none at all, in an array too. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join();
  return isObject(value) ? "{}" : String(value);
}

function bodiesOf(
  { requestBody }: DescribedOperation,
  components: Record<string, Schema>,
): fc.Arbitrary<string | undefined> {
  if (requestBody === undefined) return fc.constant(undefined);
  const right = valuesOf(requestBody.content["application/json"].schema, components);
  const text = fc.oneof(right, right.chain(mutated)).map((value) => JSON.stringify(value));
  return fc.oneof(
    { arbitrary: text, weight: 4 },
    { arbitrary: fc.tuple(text, BROKEN_TEXT).map(([whole, breaking]) => breaking(whole)), weight: 2 },
    { arbitrary: fc.constantFrom(undefined, "{}"), weight: 1 },
  );
}

function requestsOf(
  operation: DescribedOperation,
  components: Record<string, Schema>,
): fc.Arbitrary<Request> {
  return fc.record({
    path: fc.tuple(pathsOf(operation), queriesOf(operation, components)).map(([path, query]) => path + query),
    body: bodiesOf(operation, components),
    headers: rarely(fc.constant({}), HEADERS),
    key: fc.oneof(
      { arbitrary: fc.constant("own" as const), weight: 12 },
      { arbitrary: fc.constantFrom("none" as const, "broken" as const), weight: 1 },
    ),
  });
}

/** By the description's own example. */
function rightRequest(
  { path: bare, parameters, requestBody }: DescribedOperation,
  schemas: Record<string, Schema>,
): Request {
  const asked = parameters
    .filter((one) => one.in === "query" && one.required === true)
    .map(({ name, schema: { examples = [] } }) => `${name}=${encodeURIComponent(String(examples[0]))}`);
  const path = asked.length === 0 ? bare : `${bare}?${asked.join("&")}`;
  const schema = requestBody?.content["application/json"].schema;
  const [body = {}] = schema === undefined ? [] : (resolved(schema, schemas).examples ?? []);
  return { path, headers: {}, key: "own", body: schema === undefined ? undefined : JSON.stringify(body) };
}

describe("API: fuzzed by its own description", () => {
  let api: TestApi;
  before(async () => (api = await startExampleApi()));
  after(() => api.stop());

  it(`answers every operation as described and none with a 500 (FUZZ_SEED=${SEED})`, async function () {
    this.timeout(10 * TIME_LIMIT_MS);
    const { operations, schemas } = await readDescription(api.base);
    const succeeded = new Set<string>();
    let world = await makeWorld(api);
    async function attempt(operation: DescribedOperation, { path, key, ...sent }: Request): Promise<boolean> {
      const keys = { own: world.apiKey, none: undefined, broken: world.apiKey.slice(1) };
      const answer = await api.call(operation.method, filledPath(path, world), { key: keys[key], ...sent });
      const usual = answer.status < 500 || /^(rate|payment-method)-unavailable$/.test(answer.json.code);
      expect(usual, answer.text).to.equal(true);
      if (answer.status >= 300) return false;
      succeeded.add(operation.operationId);
      if (operation.method === "DELETE") world = await makeWorld(api);
      return operation.method !== "GET";
    }
    const end = performance.now() + TIME_LIMIT_MS;
    for (let round = 0; round === 0 || performance.now() < end; round++)
      for (const operation of operations) {
        if (round > 0 && performance.now() > end) break;
        let changed = false;
        const property = fc.asyncProperty(requestsOf(operation, schemas), async (request) => {
          changed = (await attempt(operation, request)) || changed;
        });
        const examples: [Request][] = round === 0 ? [[rightRequest(operation, schemas)]] : [];
        await fc.assert(property, { seed: SEED + round, numRuns: RUNS, examples });
        if (changed) world = await makeWorld(api);
      }
    const never = operations.map(({ operationId }) => operationId).filter((id) => !succeeded.has(id));
    expect(never, "operations of which nothing but refusals was seen").to.have.members(REFUSED_TO_KEYS);
  });
});
