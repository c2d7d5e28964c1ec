import { randomBytes } from "node:crypto";
import Router from "@koa/router";
import type { Context, Middleware } from "koa";
import { isDatabaseOutage } from "../../adapters/database-outage";
import { readCheckout } from "../../commands/read-checkout";
import { DomainError } from "../../domain/errors";
import type { AppParts } from "../app-parts";
import { serveFile } from "../built-files";
import { addressLimit } from "../middleware/rate-limit";
import type { ApiState } from "../state";
import { setContentSecurity } from "./content-security";
import { documentOf, type Page } from "./document";
import { chosenLanguage } from "./chosen-language";
import type { Language } from "./language";
import { invoiceBody, messageBody, pageTitle, refreshSeconds } from "./page";
import { stateOf, versionOf } from "./state";
import { checkoutView } from "./view";

const NONCE_BYTES = 16;
const BUSY_REFRESH_SECONDS = 10;

/** What all pages of one service have in common. */
interface Site {
  /** Path of the service on its host, "/" at both ends. */
  base: string;
  assets: Page["assets"];
  banner: (language: Language) => string | null;
}

function siteOf({ publicUrl, checkout, network }: AppParts): Site {
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, "")}/`;
  const under = `${base}checkout/`;
  return {
    base,
    assets:
      checkout === null
        ? null
        : { script: under + checkout.script, styles: under + checkout.styles, icon: `${under}favicon.svg` },
    banner: (language) => (network === "mainnet" ? null : language.text("testNetwork", { network })),
  };
}

type Shown = Pick<Page, "title" | "language" | "refreshSeconds" | "store" | "body">;

function send(koa: Context, site: Site, page: Shown): void {
  const nonce = randomBytes(NONCE_BYTES).toString("base64");
  const { assets, banner } = site;
  const { logoUrl = null, framedBy = [] } = page.store ?? {};
  setContentSecurity(koa, { nonce, logoUrl, framedBy });
  koa.vary("Accept-Language");
  koa.type = "text/html";
  koa.body = documentOf({ ...page, nonce, assets, banner: banner(page.language) });
}

/** A customer who comes at a bad moment reads words, not problem details. */
function friendly({ log }: AppParts, site: Site): Middleware<ApiState> {
  return async (koa, next) => {
    try {
      await next();
    } catch (error) {
      const code = error instanceof DomainError ? error.code : isDatabaseOutage(error) ? "unavailable" : null;
      const language = chosenLanguage(koa, null);
      const message = (kind: "unknown" | "busy", status: number): void => {
        const title = language.text(`${kind}Title`);
        const body = messageBody(title, language.text(`${kind}Text`));
        koa.status = status;
        send(koa, site, {
          title,
          language,
          body,
          store: null,
          refreshSeconds: kind === "busy" ? BUSY_REFRESH_SECONDS : null,
        });
      };
      if (code === "invoice-not-found") return message("unknown", 404);
      if (code === "rate-limited") return message("busy", 429);
      if (code !== "unavailable") throw error;
      log.error({ requestId: koa.state.requestId, err: error }, "the database is away");
      koa.set("Retry-After", String(BUSY_REFRESH_SECONDS));
      message("busy", 503);
    }
  };
}

async function read(parts: AppParts, koa: Context, invoiceId: string) {
  const ctx = parts.context();
  if (ctx === null) throw new DomainError("unavailable", "The database was not reached yet.");
  const facts = await readCheckout(ctx, invoiceId);
  const language = chosenLanguage(koa, facts.view.invoice.language);
  const view = checkoutView(facts);
  return { view, language, now: facts.now, version: versionOf(view, language) };
}

/**
 * `/i/{invoiceId}`, the customer's page, and `/i/{invoiceId}/state`, by which its script learns of changes: 304 until
 * there is one. Both are public and count for the sender's address.
 */
export function checkoutPages(parts: AppParts): Router<ApiState> {
  const site = siteOf(parts);
  const router = new Router<ApiState>({ sensitive: true });
  router.get("/i/:invoiceId", friendly(parts, site), addressLimit(parts), async (koa) => {
    const { view, language, now, version } = await read(parts, koa, koa.params.invoiceId ?? "");
    const stateUrl = `${site.base}i/${view.invoiceId}/state?lang=${language.code}`;
    send(koa, site, {
      title: pageTitle(view, language),
      language,
      refreshSeconds: refreshSeconds(view),
      store: view.store,
      body: invoiceBody(view, { language, now, stateUrl, version }),
    });
  });
  router.get("/i/:invoiceId/state", addressLimit(parts), async (koa) => {
    const { view, language, now, version } = await read(parts, koa, koa.params.invoiceId ?? "");
    koa.set("Cache-Control", "no-cache");
    koa.etag = version;
    koa.status = 200;
    if (koa.fresh) koa.status = 304;
    else koa.body = stateOf(view, language, { now, version });
  });
  for (const [name, file] of parts.checkout?.files ?? [])
    router.get(`/checkout/${name}`, (koa) => serveFile(koa, name, file));
  return router;
}
