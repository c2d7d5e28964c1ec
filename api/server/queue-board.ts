import type { Middleware, ParameterizedContext } from "koa";
import type { Board, BoardOptions } from "../../adapters/queues/board";
import { asUser } from "../../commands/accounts/session";
import { retryFromBoard } from "../../commands/webhooks/retry-from-board";
import { DomainError } from "../../domain/errors";
import type { HttpParts } from "../http/parts";
import { requireSecondFactor, sessionOf } from "../http/session";
import { sameSite } from "../http/middleware/same-site";
import type { ApiState } from "../http/state";
import { contextOf } from "../http/for-request";

const BOARD_PATH = "/admin/queues";

/** Scripts set its styles. Its page refers to fonts on another host, which are not allowed. */
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

type Context = ParameterizedContext<ApiState>;

/** For server admins: it has all stores' jobs. */
export function queueBoard(parts: HttpParts, open: (options: BoardOptions) => Board): Middleware {
  const { origin, pathname } = new URL(parts.publicUrl);
  const publicBase = pathname.replace(/\/$/, "");
  const checkSite = sameSite(origin);
  const board = open({
    mount: BOARD_PATH,
    publicPath: `${publicBase}${BOARD_PATH}`,
    deliveryPath: (deliveryId) => `${publicBase}/deliveries/${encodeURIComponent(deliveryId)}`,
    async onRetry(deliveryId, { askedBy: userId, onlyFailed }) {
      const ctx = asUser(contextOf(parts), userId);
      if (await retryFromBoard(ctx, deliveryId, { onlyFailed }))
        ctx.log.info({ deliveryId, userId }, "webhook: redelivery from the queue board");
    },
  });
  return async (koa: Context, next) => {
    if (koa.path !== BOARD_PATH && !koa.path.startsWith(`${BOARD_PATH}/`)) {
      await next();
      return;
    }
    koa.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    await checkSite(koa, async () => {
      const userId = await adminOf(koa, parts);
      if (userId === null) koa.redirect(`${publicBase}/login?next=${encodeURIComponent(BOARD_PATH)}`);
      else await board(userId)(koa, next);
    });
  };
}

/**
 * Null for an anonymous page load, which goes to the login.
 * @throws DomainError `unauthenticated`, `admin-only`, `second-factor-needed`.
 */
async function adminOf(koa: Context, parts: HttpParts): Promise<string | null> {
  try {
    const { ctx, user } = await sessionOf(koa, parts);
    koa.state.userId = user.userId;
    if (user.admin) {
      await requireSecondFactor(ctx, user);
      return user.userId;
    }
  } catch (error) {
    const opened = koa.method === "GET" && koa.get("sec-fetch-dest") === "document";
    if (opened && error instanceof DomainError && error.code === "unauthenticated") return null;
    throw error;
  }
  throw new DomainError("admin-only", "Only server admins may see the queues.");
}
