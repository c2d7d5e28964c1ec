import type { z } from "zod";
import type { CommandContext } from "../../commands/context";
import type { HttpParts } from "../http/parts";
import { contextOf, forRequest } from "../http/for-request";
import { countAddress } from "../http/middleware/rate-limit";
import { type DeclaredRoute, definitionOf, type RouteDefinition, type RouteRequest } from "../http/route";
import type { Authenticate } from "../http/serve-route";
import { loginGateOf, type LoginGate } from "./login-gate";

/** A password, a passkey's answer or a link's token; still anonymous. */
const BODY_MAX_BYTES = 16 * 1024;

interface AnonymousRequest {
  ctx: CommandContext;
  gate: LoginGate;
}

interface Entry {
  /** Counts only as a request from its address. */
  noTry?: true;
}

interface Shape<Q extends z.ZodType, B extends z.ZodType> extends DeclaredRoute<string, Q, B>, Entry {
  handle(request: RouteRequest<unknown, z.output<Q>, z.output<B>> & AnonymousRequest): Promise<unknown>;
}

export interface EntryRoute extends RouteDefinition, Entry {
  handle(request: RouteRequest<unknown, unknown, unknown> & AnonymousRequest): Promise<unknown>;
}

export function entryRoute<Q extends z.ZodType, B extends z.ZodType>(shape: Shape<Q, B>): EntryRoute {
  return { bodyMaxBytes: BODY_MAX_BYTES, ...definitionOf(shape) };
}

/**
 * Counted before the body is read.
 * @throws DomainError `rate-limited`; `unavailable` before the database was reached.
 */
export function acceptAnonymous(parts: HttpParts, { noTry }: Entry): Authenticate<AnonymousRequest> {
  return async (koa) => {
    const ctx = contextOf(parts);
    await countAddress(koa, parts);
    const gate = loginGateOf(koa, parts, ctx);
    if (noTry !== true) await gate.countTry();
    return { ctx: forRequest(ctx, koa), gate };
  };
}
