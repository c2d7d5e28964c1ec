import { randomBytes } from "node:crypto";
import type { Context, Middleware } from "koa";
import { isDatabaseOutage } from "../../adapters/database-outage";
import { DomainError } from "../../domain/errors";
import type { CheckoutParts } from "./parts";
import type { ApiState } from "../http/state";
import { chosenLanguage } from "./chosen-language";
import { messageBody } from "./page/body";
import { setContentSecurity } from "./page/content-security";
import { documentOf, type Page } from "./page/document";
import type { TextKey } from "../../domain/languages/texts/en";
import type { Site } from "./site";

const NONCE_BYTES = 16;
const BUSY_REFRESH_SECONDS = 10;

interface Shown extends Pick<Page, "title" | "language" | "refreshSeconds" | "store" | "body"> {
  hasForm?: boolean;
}

export function send(koa: Context, site: Site, page: Shown): void {
  const nonce = randomBytes(NONCE_BYTES).toString("base64");
  const { assets, banner } = site;
  const { logoUrl = null, framedBy = [] } = page.store ?? {};
  setContentSecurity(koa, { nonce, logoUrl, framedBy, hasForm: page.hasForm ?? false });
  koa.vary("Accept-Language");
  koa.type = "text/html";
  koa.body = documentOf({ ...page, nonce, assets, banner: banner(page.language) });
}

interface Message {
  status: number;
  title: TextKey;
  text: TextKey;
  refreshSeconds?: number;
}

const busy = (status: number): Message => ({
  status,
  title: "busyTitle",
  text: "busyText",
  refreshSeconds: BUSY_REFRESH_SECONDS,
});

const MESSAGES: Readonly<Record<string, Message>> = {
  "invoice-not-found": { status: 404, title: "unknownTitle", text: "unknownText" },
  "payment-link-not-found": { status: 404, title: "linkUnknownTitle", text: "unknownText" },
  "rate-limited": busy(429),
  unavailable: busy(503),
};

/** Refusals and outages in the customer's language. */
export function friendly({ log }: CheckoutParts, site: Site): Middleware<ApiState> {
  return async (koa, next) => {
    try {
      await next();
    } catch (error) {
      const code = error instanceof DomainError ? error.code : isDatabaseOutage(error) ? "unavailable" : "";
      const message = MESSAGES[code];
      if (message === undefined) throw error;
      if (code === "unavailable") {
        log.error({ requestId: koa.state.requestId, err: error }, "request: database unavailable");
        koa.set("Retry-After", String(BUSY_REFRESH_SECONDS));
      }
      const language = chosenLanguage(koa, null);
      const title = language.text(message.title);
      koa.status = message.status;
      // With scripts too: no script keeps such a page current.
      if (message.refreshSeconds !== undefined) koa.set("Refresh", String(message.refreshSeconds));
      send(koa, site, {
        title,
        language,
        body: messageBody(title, language.text(message.text)),
        store: null,
        refreshSeconds: null,
      });
    }
  };
}
