import type { z } from "zod";
import type { CommandContext } from "../../commands/context";
import type { AppDependencies } from "../app-dependencies";
import { contextOf, forRequest } from "../http/for-request";
import { countAddress } from "../http/middleware/rate-limit";
import { type DeclaredRoute, definitionOf, type RouteDefinition, type RouteRequest } from "../http/route";
import type { Admit } from "../http/serve-route";
import { loginGateOf, type LoginGate } from "./login-gate";

/** Large enough for a password, a passkey's answer or a link's token; the request is still anonymous. */
const BODY_MAX_BYTES = 16 * 1024;

/** The inputs of a route for anonymous users. */
interface AnonymousRequest {
  ctx: CommandContext;
  gate: LoginGate;
}

interface Entry {
  /** It does not count as a login try, but only as a request from its address. */
  noTry?: true;
}

interface Shape<Q extends z.ZodType, B extends z.ZodType> extends DeclaredRoute<string, Q, B>, Entry {
  /** Unwraps the request, calls one command, presents the result. Nothing for 204. */
  handle(request: RouteRequest<unknown, z.output<Q>, z.output<B>> & AnonymousRequest): Promise<unknown>;
}

/** A route for anonymous users, below `/api/dashboard`. */
export interface EntryRoute extends RouteDefinition, Entry {
  handle(request: RouteRequest<unknown, unknown, unknown> & AnonymousRequest): Promise<unknown>;
}

/** Ties a handler's types to its schemas. */
export function entryRoute<Q extends z.ZodType, B extends z.ZodType>(shape: Shape<Q, B>): EntryRoute {
  return { bodyMaxBytes: BODY_MAX_BYTES, ...definitionOf(shape) };
}

/**
 * Accepts every request whose address has not tried too often: it is counted before the body is read.
 * @throws DomainError `rate-limited`; `unavailable` before the database was reached.
 */
export function admitAnonymous(parts: AppDependencies, { noTry }: Entry): Admit<AnonymousRequest> {
  return async (koa) => {
    const ctx = contextOf(parts);
    await countAddress(koa, parts);
    const gate = loginGateOf(koa, parts, ctx);
    if (noTry !== true) await gate.countTry();
    return { ctx: forRequest(ctx, koa), gate };
  };
}
