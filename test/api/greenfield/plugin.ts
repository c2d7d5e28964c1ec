import { expect } from "chai";
import { z } from "zod";
import type { GreenfieldRoute } from "../../../api/greenfield/route";
import { GREENFIELD_ROUTES } from "../../../api/greenfield/route-table";

const PREFIX = "/api/v1";

const fieldErrors = z.array(z.strictObject({ path: z.string(), message: z.string().min(1) })).min(1);
const refusal = z.strictObject({
  code: z.string().regex(/^[a-z0-9-]+$/),
  message: z.string().min(1),
  missingPermission: z.string().optional(),
});

/** The members that tests look into by name; an answer has those of its kind. All others are compared as a whole. */
export interface PluginJson extends Record<string, unknown> {
  id: string;
  amount: string;
  status: string;
  createdTime: number;
  metadata: Record<string, unknown>;
  checkout: Record<string, unknown> & { speedPolicy: string; paymentMethods: string[] };
  availableStatusesForManualMarking: string[];
  paymentMethodId: string;
  destination: string;
  value: string;
  payments: [PluginJson, ...PluginJson[]];
  permissions: string[];
  version: string;
  currencyPair: string;
  /** Of a refusal. */
  code: string;
  path: string;
}

export interface PluginAnswer {
  status: number;
  headers: Headers;
  text: string;
  json: PluginJson;
  /** The same, of an answer that is a list. */
  list: [PluginJson, ...PluginJson[]];
}

export interface PluginRequest {
  key?: string | undefined;
  /** A text is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

function matches(route: GreenfieldRoute, method: string, path: string): boolean {
  const given = path.replace(/\/$/, "").split("/");
  const wanted = route.path.split("/");
  return (
    route.method.toUpperCase() === (method === "HEAD" ? "GET" : method) &&
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith(":") || part === given[index])
  );
}

/** Holds an answer against the description of its route: status 200 alone, and no field that is not described. */
function checkAnswer(method: string, path: string, { status, headers, text, json }: PluginAnswer): void {
  const what = `${method} ${path}: ${text}`;
  expect(headers.get("location"), what).to.equal(null);
  expect(headers.get("access-control-allow-origin"), what).to.equal(null);
  if (text !== "") expect(headers.get("content-type"), what).to.equal("application/json; charset=utf-8");
  if (method === "HEAD" || method === "OPTIONS") return;
  if (status >= 300) {
    const schema: z.ZodType = status === 422 ? fieldErrors : refusal;
    expect(schema.safeParse(json).error?.issues ?? [], what).to.deep.equal([]);
    expect(headers.get("retry-after") !== null, what).to.equal([429, 503].includes(status));
    return;
  }
  expect(status, what).to.equal(200);
  const route = GREENFIELD_ROUTES.find((one) => matches(one, method, path.split("?")[0] ?? ""));
  expect(route, `${what} answers but is not described`).not.to.equal(undefined);
  expect(route?.answer?.safeParse(json).error?.issues ?? [], what).to.deep.equal([]);
}

/** A request as a shop plugin sends it; `path` below `/api/v1`. */
export async function plugin(
  base: string,
  method: string,
  path: string,
  { key, body, headers = {} }: PluginRequest = {},
): Promise<PluginAnswer> {
  const response = await fetch(`${base}${PREFIX}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(key === undefined ? {} : { authorization: `token ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json: unknown = text === "" ? undefined : JSON.parse(text);
  const answer: PluginAnswer = {
    status: response.status,
    headers: response.headers,
    text,
    json: json as PluginJson,
    list: json as PluginAnswer["list"],
  };
  checkAnswer(method, path, answer);
  return answer;
}
