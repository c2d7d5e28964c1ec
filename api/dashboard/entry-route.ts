import type { CommandContext } from "../../commands/context";
import type { HttpParts } from "../http/parts";
import { contextOf, forRequest } from "../http/for-request";
import { countAddress } from "../http/middleware/rate-limit";
import { routesOf } from "../http/route";
import type { Authenticate } from "../http/serve-route";
import { loginGateOf, type LoginGate } from "./login-gate";

interface AnonymousRequest {
  ctx: CommandContext;
  gate: LoginGate;
}

interface Entry {
  /** Counts only as a request from its address. */
  noTry?: true;
}

export const entryRoute = routesOf<Entry, AnonymousRequest>();

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
