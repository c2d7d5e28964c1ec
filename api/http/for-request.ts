import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { goneSignal } from "./answer-events";

/** A command context on behalf of a request: no password is hashed for one that has gone, or has had its answer. */
export function forRequest(ctx: CommandContext, koa: Pick<Context, "req" | "res">): CommandContext {
  return { ...ctx, passwords: ctx.passwords.until(() => goneSignal(koa)) };
}
