import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { goneSignal } from "./answer-events";

/**
 * A command context on behalf of a request: no password is hashed for a client that has disconnected, or that has
 * been answered.
 */
export function forRequest(ctx: CommandContext, koa: Pick<Context, "req" | "res">): CommandContext {
  return { ...ctx, passwords: ctx.passwords.until(() => goneSignal(koa)) };
}
