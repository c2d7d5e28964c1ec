import type { z } from "zod";
import { operationErrors } from "../http/operation-errors";
import type { Operation, Route } from "../http/route";
import { problemAnswer } from "../http/schemas/problem";
import { TAGS } from "../http/tags";
import { describeOperation, templatedPath } from "./operation";
import { HEADERS, problemComponents } from "./problems";
import { jsonSchemas, type JsonSchema } from "./schemas";
import { describeWebhook } from "./webhook";

const OPENAPI_VERSION = "3.1.1";

const DESCRIPTION = `Self-hosted Bitcoin invoicing: invoices over REST, payments on-chain and over Lightning, one signed webhook per event.

Send one of the store's API keys in the header \`x-api-key\`. Call this API from servers only: it sends no CORS headers.

Amounts in satoshi are integers, other amounts decimal strings, times RFC 3339 in UTC. Requests are strict: an unknown
field or query parameter is refused by name. Responses may gain fields at any time, so ignore those that you do
not know. Errors are problem details (RFC 9457); rely on their \`code\`. Lists are newest first; send \`nextCursor\` as
\`cursor\` for the next page.`;

export type DescribedRoute = Route | Operation;

export interface OpenApiDocument extends Record<string, unknown> {
  openapi: string;
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, JsonSchema> } & Record<string, object>;
}

export function describeApi(routes: readonly DescribedRoute[], version: string): OpenApiDocument {
  const requests = requestSchemas(routes);
  const answers = answerSchemas(routes);
  const webhook = describeWebhook();
  const paths: OpenApiDocument["paths"] = {};
  for (const route of routes) {
    const { operationId, body } = route;
    const operation = describeOperation(route, {
      query: requests.schemas[`${operationId} query`] ?? {},
      body: requests.schemas[`${operationId} body`] ?? null,
      bodyOptional: body?.safeParse({}).success ?? true,
      answer: answers.schemas[operationId] ?? null,
    });
    (paths[templatedPath(route.path)] ??= {})[route.method] = operation;
  }
  const used = new Set(routes.flatMap(({ tags }) => tags));
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: "Quittance",
      version,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/api/v1", description: "This installation." }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS)
      .filter(([name]) => [...used].some((tag) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhook.webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "One of the store's API keys. Its `access` says what it may do: keep it on servers.",
        },
      },
      headers: HEADERS,
      responses: problemComponents(routes.map(operationErrors)),
      schemas: merged([answers.components, webhook.components, requests.components]),
    },
  };
}

function requestSchemas(routes: readonly DescribedRoute[]) {
  const given: Record<string, z.ZodType> = {};
  for (const { operationId, query, body } of routes) {
    given[`${operationId} query`] = query;
    if (body !== null) given[`${operationId} body`] = body;
  }
  return jsonSchemas(given, "request");
}

function answerSchemas(routes: readonly DescribedRoute[]) {
  const given: Record<string, z.ZodType> = { problem: problemAnswer };
  for (const { operationId, answer } of routes) if (answer !== null) given[operationId] = answer;
  return jsonSchemas(given, "answer");
}

/** A name stands for the same schema in requests and answers. */
function merged(sets: readonly Record<string, JsonSchema>[]): Record<string, JsonSchema> {
  const all: Record<string, JsonSchema> = {};
  for (const [name, schema] of sets.flatMap((set) => Object.entries(set))) {
    const known = all[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`the schema ${name} is one thing in requests and another in answers`);
    all[name] = schema;
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}
