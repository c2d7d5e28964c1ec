import type { Middleware, ParameterizedContext } from "koa";
import { isDatabaseOutage } from "../../../adapters/database-outage";
import type { Log } from "../../../commands/ports";
import { DomainError, inWords } from "../../../domain/errors";
import { toJson } from "../json";
import { presentProblem, type Problem } from "../present-problem";
import type { ApiState } from "../state";

type Context = ParameterizedContext<ApiState>;

/** Never a page, a stack trace or SQL. */
export function problems(log: Log): Middleware<ApiState> {
  return async (koa, next) => {
    try {
      await next();
      if (koa.status === 404 && (koa.body === undefined || koa.body === null)) throw unknownRoute(koa);
    } catch (error) {
      answer(koa, problemOf(koa, error, log));
    }
  };
}

function unknownRoute(koa: Context): DomainError {
  return new DomainError(
    "route-not-found",
    `Not found: ${koa.path}. The API reference at /docs lists all paths.`,
  );
}

export function problemOf(koa: Context, error: unknown, log: Log): Problem {
  const { requestId } = koa.state;
  if (error instanceof DomainError)
    return presentProblem(error.code, { detail: detailOf(error), requestId, errors: error.errors });
  if (isDatabaseOutage(error)) {
    log.error({ requestId, err: error }, "request: database unavailable");
    return presentProblem("unavailable", { detail: "Try again in a moment.", requestId });
  }
  log.error({ requestId, err: error }, "request: internal error");
  return presentProblem("internal-error", {
    detail: "The server's log has the details under this `requestId`.",
    requestId,
  });
}

/** A single field is refused in words that do not name it, and a shop may log the detail alone. */
function detailOf({ message, errors: [first] }: DomainError): string {
  return first?.message === message ? inWords(first) : message;
}

function answer(koa: Context, problem: Problem): void {
  koa.status = problem.status;
  if (problem.code === "unauthenticated" && !koa.res.hasHeader("WWW-Authenticate"))
    koa.set("WWW-Authenticate", 'ApiKey realm="quittance", header="x-api-key"');
  sayWhenToRetry(koa, problem);
  koa.body = toJson(problem);
  koa.type = "application/problem+json";
}

export function sayWhenToRetry(koa: Context, { status, code }: Problem): void {
  if (status === 503) koa.set("Retry-After", code === "rate-unavailable" ? "60" : "5");
  if (status === 429 && !koa.res.hasHeader("Retry-After")) koa.set("Retry-After", "1");
}
