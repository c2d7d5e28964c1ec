import { operationErrors, pathParameters } from "../http/operation-errors";
import { accessAllowed, type Operation, type Route } from "../http/route";
import { EXAMPLE_IDS } from "../http/schemas/answer";
import { curlSample } from "./curl-sample";
import { problemResponses, COMMON_HEADERS } from "./problems";
import type { JsonSchema } from "./schemas";

export interface OperationSchemas {
  query: JsonSchema;
  body: JsonSchema | null;
  bodyOptional: boolean;
  answer: JsonSchema | null;
}

const STATUS_TEXT = {
  200: "Done.",
  201: "Created.",
  202: "Accepted: it will be done.",
  204: "Done; no content.",
};

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A string of your choice, unique for each operation. For 24 hours, a request with the same key and body gets the " +
    "first response again, with the header Idempotency-Replayed; another body gets `idempotency-conflict`.",
  schema: { type: "string", minLength: 1, maxLength: 255, examples: ["order-A-1001"] },
};
const REPLAYED_HEADER = { "Idempotency-Replayed": { $ref: "#/components/headers/IdempotencyReplayed" } };

export function describeOperation(route: Route | Operation, schemas: OperationSchemas): object {
  const { operationId, tags, summary, description, success, alsoStatus } = route;
  return {
    operationId,
    tags,
    summary,
    ...describedBy([description, "handle" in route ? accessText(route) : undefined]),
    ...("handle" in route ? {} : { security: [] }),
    parameters: [
      ...pathParameters(route.path).map(pathParameter),
      ...parametersOf(schemas.query, "query"),
      ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(schemas.body === null ? {} : { requestBody: requestBody(schemas.body, schemas.bodyOptional) }),
    responses: {
      [success]: response(STATUS_TEXT[success], schemas.answer, route),
      ...problemResponses(operationErrors(route)),
      ...(alsoStatus === undefined
        ? {}
        : { [alsoStatus]: response("The same body, while the service is not healthy.", schemas.answer, {}) }),
    },
    "x-codeSamples": [{ lang: "Shell", label: "curl", source: curlSample(route, schemas.query) }],
  };
}

function describedBy(texts: readonly (string | undefined)[]): { description?: string } {
  const described = texts.filter((text) => text !== undefined);
  return described.length === 0 ? {} : { description: described.join("\n\n") };
}

function accessText(route: Route): string {
  const names = accessAllowed(route).map((access) => `\`${access}\``);
  return `Access of the API key: ${names.join(", ")}.`;
}

/** `"/stores/:storeId"` becomes `"/stores/{storeId}"`. */
export const templatedPath = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

function pathParameter(name: string): object {
  const example = Object.entries(EXAMPLE_IDS).find(([known]) => known === name)?.[1];
  return {
    name,
    in: "path",
    required: true,
    ...(name === "storeId" ? { description: "The store that the key belongs to." } : {}),
    schema: {
      type: "string",
      pattern: "^[0-9A-Za-z_-]{1,100}$",
      ...(example === undefined ? {} : { examples: [example] }),
    },
  };
}

export function parametersOf(
  { properties = {}, required = [] }: JsonSchema,
  place: "query" | "header",
): object[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    ...(required.includes(name) ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function requestBody(schema: JsonSchema, optional: boolean): object {
  return { required: !optional, content: { "application/json": { schema } } };
}

function response(
  description: string,
  schema: JsonSchema | null,
  { idempotent, alsoAs }: Pick<Route, "idempotent" | "alsoAs">,
): object {
  const content = {
    "application/json": { schema },
    ...(alsoAs === undefined ? {} : { [alsoAs]: { schema: { type: "string" } } }),
  };
  return {
    description,
    headers: { ...COMMON_HEADERS, ...(idempotent ? REPLAYED_HEADER : {}) },
    ...(schema === null ? {} : { content }),
  };
}
