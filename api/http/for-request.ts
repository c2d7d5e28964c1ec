import type { Context } from "koa";
import type { CommandContext } from "../../commands/context";
import { DomainError } from "../../domain/errors";
import type { HttpParts } from "./parts";
import { goneSignal } from "../live/answer-events";

/** @throws DomainError `unavailable` before the database was reached. */
export function contextOf({ context }: Pick<HttpParts, "context">): CommandContext {
  const ctx = context();
  if (ctx === null) throw new DomainError("unavailable", "The service is starting. Try again in a moment.");
  return ctx;
}

/** No password is hashed for a client that has disconnected or been answered. */
export function forRequest(ctx: CommandContext, koa: Pick<Context, "req" | "res">): CommandContext {
  return { ...ctx, passwords: ctx.passwords.until(() => goneSignal(koa)) };
}
