import type { Middleware, ParameterizedContext } from "koa";
import { auditRetry } from "../commands/audit-retry";
import { DomainError } from "../domain/errors";
import type { AppParts, QueueBoardParts } from "./app-parts";
import { basicAuth } from "./middleware/basic-auth";
import { sameSite } from "./middleware/same-site";
import type { ApiState } from "./state";

const BOARD_PATH = "/admin/queues";

/** Its styles are set by its scripts; its page names fonts of another host, which this leaves out. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** bull-board for the operator, behind ADMIN_BASIC_AUTH: all stores' jobs stand there, so it is nothing for merchants. */
export function queueBoard(parts: AppParts, { credentials, publicUrl, open }: QueueBoardParts): Middleware {
  const { origin, pathname } = new URL(publicUrl);
  const checkSite = sameSite(origin);
  const logIn = basicAuth(credentials, "quittance queues", parts.trustedProxies);
  const askedBy = credentials.slice(0, credentials.indexOf(":"));
  const board = open({
    mount: BOARD_PATH,
    publicPath: `${pathname.replace(/\/$/, "")}${BOARD_PATH}`,
    async onRetry(deliveryId, admin) {
      const ctx = parts.context();
      if (ctx === null)
        throw new DomainError("unavailable", "The service is starting. Try again in a moment.");
      await auditRetry({ ...ctx, actor: { kind: "admin", id: admin } }, deliveryId);
      ctx.log.info({ deliveryId, admin }, "a failed delivery is sent again from the queues' board");
    },
  });
  const serve = board(askedBy);
  return async (koa: ParameterizedContext<ApiState>, next) => {
    if (koa.path !== BOARD_PATH && !koa.path.startsWith(`${BOARD_PATH}/`)) {
      await next();
      return;
    }
    koa.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    await checkSite(koa, async () => {
      await logIn(koa, async () => {
        await serve(koa, next);
      });
    });
  };
}
