import type { Context } from "koa";
import { noteRefusal, type RefusedAccount } from "../../commands/accounts/note-refusal";
import type { RefusalEvent } from "../../domain/account/refusal";
import type { CommandContext } from "../../commands/context";
import { parseApiKey } from "../../domain/account/api-key";
import { addressOf } from "./middleware/rate-limit";
import type { HttpParts } from "./parts";

type Parts = Pick<HttpParts, "log" | "logins" | "metrics" | "trustedProxies">;

export const clientIp = (koa: Context, parts: Pick<HttpParts, "trustedProxies">): string =>
  addressOf(koa, parts)?.toString() ?? "unknown";

/** Without delaying the answer. */
export function noteRefused(
  koa: Context,
  { parts, ctx }: { parts: Parts; ctx: CommandContext },
  { event, account, unknownAs }: { event: RefusalEvent; account: RefusedAccount; unknownAs: string },
): void {
  parts.metrics.refusal(event);
  const requestId = String(koa.state["requestId"]);
  const mayAudit = async (userId: string) => (await parts.logins.refusalNotes.take(userId)) === null;
  const refusal = { event, account, unknownAs, requestId, ip: clientIp(koa, parts), mayAudit };
  noteRefusal(ctx, refusal).catch((err: unknown) =>
    parts.log.error({ err, requestId }, "auth: refusal not recorded"),
  );
}

/** Its prefix, as in lists of keys. */
export function keyAsLogged(text: string): string {
  const parsed = parseApiKey(text);
  return parsed === null ? "malformed key" : `key ${parsed.prefix}`;
}
