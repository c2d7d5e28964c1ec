import type { z } from "zod";
import type { CommandContext } from "../../commands/context";
import { DomainError } from "../../domain/errors";
import type { AppParts } from "../app-parts";
import type { RouteRequest, Served } from "../route";
import type { Admit } from "../serve-route";
import { doorOf, type Door } from "./door";

/** What a route for those who are not logged in yet is given. */
interface Given {
  ctx: CommandContext;
  door: Door;
}

interface Shape<Q extends z.ZodType, B extends z.ZodType> extends Served<string, Q, B> {
  /** Unwraps, calls one command, presents. Nothing for 204. */
  handle(request: RouteRequest<unknown, z.output<Q>, z.output<B>> & Given): Promise<unknown>;
}

/** A way in, below `/api/dashboard`. */
export interface EntryRoute extends Served {
  handle(request: RouteRequest<unknown, unknown, unknown> & Given): Promise<unknown>;
}

/** Ties a handler's types to its schemas. */
export function entryRoute<Q extends z.ZodType, B extends z.ZodType>(shape: Shape<Q, B>): EntryRoute {
  return shape;
}

/**
 * Lets everybody in whose address has not tried too often.
 * @throws DomainError `rate-limited`; `unavailable` before the database was reached.
 */
export function admitStranger(parts: AppParts): Admit<Given> {
  return (koa) => {
    const ctx = parts.context();
    if (ctx === null) throw new DomainError("unavailable", "The service is starting. Try again in a moment.");
    return Promise.resolve({ ctx, door: doorOf(koa, parts) });
  };
}
