import type { Middleware, ParameterizedContext } from "koa";
import type { Log } from "../../commands/ports";
import { DomainError } from "../../domain/errors";
import type { Policy } from "../../domain/greenfield/permissions";
import { toJson } from "../http/json";
import { problemOf, sayWhenToRetry } from "../http/middleware/problems";
import type { Problem } from "../http/present-problem";
import type { ApiState } from "../http/state";
import { keyOf } from "./speaks";

interface RefusalBody {
  code: string;
  message: string;
  missingPermission?: Policy;
}

interface WrongField {
  path: string;
  message: string;
}

interface Refusal {
  status: number;
  body: RefusalBody | WrongField[];
}

export class GreenfieldError extends Error {
  override readonly name = "GreenfieldError";
  constructor(
    readonly status: 403 | 404 | 410,
    readonly body: RefusalBody,
  ) {
    super(body.message);
  }
}

/** No permission includes another: only this one would do. */
export function missingPermission(policy: Policy, why?: string): GreenfieldError {
  return new GreenfieldError(403, {
    code: "missing-permission",
    message: `This API key may not do this. ${why ?? `It needs the permission ${policy}, which no other permission includes: connect the shop again, or use a key that has it.`}`,
    missingPermission: policy,
  });
}

/** A command's field names become those of this dialect. */
export async function withFieldsNamed<T>(
  names: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.errors.length === 0) throw error;
    const errors = error.errors.map((field) => ({
      ...field,
      pointer: names[field.pointer] ?? field.pointer,
    }));
    throw new DomainError(error.code, error.message, errors);
  }
}

export function greenfieldErrors(log: Log): Middleware<ApiState> {
  return async (koa, next) => {
    if (keyOf(koa) === null) {
      await next();
      return;
    }
    // For a developer who sent a native key as a Bearer token.
    koa.set("X-Quittance-Dialect", "greenfield");
    try {
      await next();
    } catch (error) {
      answer(koa, refusalOf(koa, error, log));
    }
  };
}

function refusalOf(koa: ParameterizedContext<ApiState>, error: unknown, log: Log): Refusal {
  if (error instanceof GreenfieldError) return error;
  const problem = problemOf(koa, error, log);
  sayWhenToRetry(koa, problem);
  return refusalOfProblem(problem);
}

/** Plugins know 400 as the refusal of all else. */
const KEPT_STATUSES = [401, 403, 404, 405, 429, 500];

function refusalOfProblem({ status, code, detail, errors }: Problem): Refusal {
  if (code === "validation-failed")
    return { status: 422, body: (errors ?? [{ pointer: "", message: detail }]).map(wrongField) };
  if (code === "invalid-transition") return { status: 422, body: [{ path: "status", message: detail }] };
  if (status === 503) {
    const known = code === "rate-unavailable" ? code : "unavailable";
    return { status, body: { code: known, message: detail } };
  }
  if (KEPT_STATUSES.includes(status)) return { status, body: { code, message: detail } };
  return { status: 400, body: { code: "generic-error", message: detail } };
}

/** `/checkout/paymentMethods` is `checkout.paymentMethods`. */
function wrongField({ pointer, message }: { pointer: string; message: string }): WrongField {
  const steps = pointer.split("/").slice(1);
  return {
    path: steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")).join("."),
    message,
  };
}

function answer(koa: ParameterizedContext<ApiState>, { status, body }: Refusal): void {
  koa.status = status;
  if (status === 401) koa.set("WWW-Authenticate", 'Bearer realm="quittance"');
  koa.body = toJson(body);
  koa.type = "application/json";
}
