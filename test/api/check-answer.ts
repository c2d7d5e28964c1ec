import { expect } from "chai";
import type { z } from "zod";
import { operationErrors } from "../../api/http/operation-errors";
import { PROBLEMS, type ProblemCode } from "../../api/http/present-problem";
import type { Operation, Route } from "../../api/http/route";
import { PUBLIC_ROUTES, ROUTES } from "../../api/route-table";
import { problemAnswer } from "../../api/http/schemas/problem";

const PREFIX = "/api/v1";
const OPERATIONS: readonly (Route | Operation)[] = [...ROUTES, ...PUBLIC_ROUTES];

/** What an answer may say where no operation is. */
const OUTSIDE: readonly ProblemCode[] = ["route-not-found", "method-not-allowed", "rate-limited"];

function matches(template: string, path: string): boolean {
  const wanted = template.split("/");
  const given = path.split("/");
  if (given.at(-1) === "") given.pop();
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(":") ? given[index] !== "" : part === given[index]))
  );
}

/** The operation that a request reaches, of the template with the fewest parameters that its path matches. */
export function operationOf(method: string, pathAndQuery: string): Route | Operation | undefined {
  const [path = ""] = pathAndQuery.slice(PREFIX.length).split("?");
  const asked = method === "HEAD" ? "GET" : method;
  const parameters = (one: Route | Operation) => one.path.split(":").length;
  const there = OPERATIONS.filter((one) => matches(one.path, path));
  const fewest = Math.min(...there.map(parameters));
  return there.find((one) => one.method.toUpperCase() === asked && parameters(one) === fewest);
}

function conforms(schema: z.ZodType, text: string, what: string): void {
  const issues = schema.safeParse(JSON.parse(text)).error?.issues ?? [];
  expect(issues, `${what} does not answer as described: ${text}`).to.deep.equal([]);
}

function checkProblem(response: Response, text: string, codes: readonly ProblemCode[], what: string): void {
  expect(response.headers.get("content-type"), what).to.equal("application/problem+json");
  conforms(problemAnswer, text, what);
  const problem = problemAnswer.parse(JSON.parse(text));
  expect(codes, `${what} does not declare ${problem.code}`).to.include(problem.code);
  expect(problem.status).to.equal(response.status);
  expect(problem).to.include({
    ...PROBLEMS[problem.code],
    requestId: response.headers.get("x-request-id"),
  });
  for (const { pointer } of problem.errors ?? [])
    expect(problem.detail, `${what}: the detail names the field`).to.contain(pointer || "The body");
  const withHeader = {
    "www-authenticate": response.status === 401,
    "retry-after": [429, 503].includes(response.status),
  };
  for (const [name, there] of Object.entries(withHeader))
    if (there) expect(response.headers.get(name), `${what}: ${name}`).to.be.a("string");
}

/** Holds an answer against what the API's description says of it. What is outside of `/api/v1` is not its business. */
export function checkAnswer(method: string, path: string, response: Response, text: string): void {
  if (!path.startsWith(`${PREFIX}/`)) return;
  const what = `${method} ${path}`;
  const operation = operationOf(method, path);
  for (const name of response.headers.keys()) expect(name, what).not.to.match(/^access-control-/);
  if (method === "HEAD" || (method === "OPTIONS" && response.status === 204)) {
    expect(text, what).to.equal("");
    return;
  }
  const described = response.status === operation?.success || response.status === operation?.alsoStatus;
  if (response.status >= 400 && !described) {
    checkProblem(response, text, operation === undefined ? OUTSIDE : operationErrors(operation), what);
    return;
  }
  expect(operation, `${what} answers but is not described`).not.to.equal(undefined);
  if (operation === undefined) return;
  expect(described, `${what} answers ${response.status}`).to.equal(true);
  const schema = operation.answer;
  if (schema === null) {
    expect(text, what).to.equal("");
    return;
  }
  const type = response.headers.get("content-type") ?? "";
  if (operation.alsoAs !== undefined && type.startsWith(`${operation.alsoAs};`)) return;
  expect(type, what).to.equal("application/json; charset=utf-8");
  conforms(schema, text, what);
}
