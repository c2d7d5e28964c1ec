import { inWords } from "../../domain/errors";
import { presentProblem, PROBLEMS, type ProblemCode } from "../http/present-problem";

const REQUEST_ID = "req_5Wn8tXk2LmRzQvB7JcYhPs";

const UNKNOWN_FIELD = { pointer: "/colour", message: "Unknown field. Your own go into metadata." };

const DETAILS: Partial<Record<ProblemCode, string>> = {
  "malformed-request": "The body is not valid JSON in UTF-8.",
  unauthenticated: "This request has no header x-api-key. Send a valid API key in the header x-api-key.",
  "store-mismatch": "This API key belongs to another store.",
  "body-too-large": "The body must have at most 256 KiB.",
  "unsupported-media-type": "Send the body uncompressed, with `Content-Type: application/json`.",
  "validation-failed": inWords(UNKNOWN_FIELD),
  "internal-error": "The server's log has the details under this `requestId`.",
  unavailable: "Try again in a moment.",
};

/** The latter two only if there are limits. */
export const COMMON_HEADERS = {
  "X-Request-Id": { $ref: "#/components/headers/RequestId" },
  RateLimit: { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
};

export const HEADERS = {
  RequestId: {
    description: "Identifies the request in the service's log.",
    schema: { type: "string", examples: [REQUEST_ID] },
  },
  RateLimit: {
    description: "How many requests are left (`r`), and after how many seconds more are allowed (`t`).",
    schema: { type: "string", examples: ['"store";r=991;t=1'] },
  },
  RateLimitPolicy: {
    description: "How many requests (`q`) are allowed in how many seconds (`w`).",
    schema: { type: "string", examples: ['"store";q=1000;w=10'] },
  },
  WwwAuthenticate: {
    description: "How to authenticate.",
    schema: { type: "string", examples: ['ApiKey realm="quittance", header="x-api-key"'] },
  },
  IdempotencyReplayed: {
    description: "Present if the response is that of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
  },
  RetryAfter: {
    description: "When to try again, in seconds.",
    schema: { type: "integer", minimum: 0, examples: [5] },
  },
};

function headersOf(status: number): Record<string, { $ref: string }> {
  return {
    ...COMMON_HEADERS,
    ...(status === 401 ? { "WWW-Authenticate": { $ref: "#/components/headers/WwwAuthenticate" } } : {}),
    ...(status === 429 || status === 503
      ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
      : {}),
  };
}

function example(code: ProblemCode) {
  const detail = DETAILS[code] ?? `${PROBLEMS[code].title}.`;
  const errors = code === "validation-failed" ? [UNKNOWN_FIELD] : [];
  return {
    summary: PROBLEMS[code].title,
    value: presentProblem(code, { detail, requestId: REQUEST_ID, errors }),
  };
}

/** A status with a single code is a component, since every operation has it. */
export function problemResponses(codes: readonly ProblemCode[]): Record<string, object> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => PROBLEMS[code].status === status);
      const [only, ...more] = own.map(componentName);
      return [
        String(status),
        more.length === 0 ? { $ref: `#/components/responses/${only}` } : problemResponse(status, own),
      ];
    }),
  );
}

export function problemComponents(operations: readonly (readonly ProblemCode[])[]): Record<string, object> {
  const alone = operations.flatMap((codes) =>
    codes.filter(
      (code) => codes.filter((other) => PROBLEMS[other].status === PROBLEMS[code].status).length === 1,
    ),
  );
  return Object.fromEntries(
    [...new Set(alone)].map((code) => [componentName(code), problemResponse(PROBLEMS[code].status, [code])]),
  );
}

/** `store-mismatch` becomes `StoreMismatch`. */
const componentName = (code: ProblemCode): string =>
  code.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

function problemResponse(status: number, codes: readonly ProblemCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join("\n\n"),
    headers: headersOf(status),
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  };
}
