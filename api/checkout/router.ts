import Router from "@koa/router";
import type { Context } from "koa";
import { readCheckout } from "../../commands/invoices/read-checkout";
import { nativeId } from "../../domain/greenfield/id-text";
import type { CheckoutParts } from "./parts";
import { type BuiltFile, keeping, serveFile } from "../http/built-files";
import { compressPublic } from "../http/middleware/compress";
import { addressLimit } from "../http/middleware/rate-limit";
import type { ApiState } from "../http/state";
import { chosenLanguage } from "./chosen-language";
import { html } from "../http/html";
import { openedFacts } from "./opening";
import { addPaymentLinks } from "./link/router";
import { invoiceBody, pageTitle, reloadSeconds } from "./page/body";
import { addFormsOfCustomer, type Refusal } from "./left-by-customer";
import { stateOf, versionOf } from "./state";
import { friendly, send } from "./send";
import { siteOf } from "./site";
import { invoiceStream } from "./stream";
import { addTestActions, testCustomerOf } from "./test-actions";
import { testPanel } from "./page/test-panel";
import { checkoutView } from "./view";
import { contextOf } from "../http/for-request";

const PAGE_POINTS = 10;

async function read(parts: CheckoutParts, koa: Context, invoiceId: string, { opens = false } = {}) {
  const ctx = contextOf(parts);
  const facts = await (opens ? openedFacts(koa, ctx, invoiceId) : readCheckout(ctx, invoiceId));
  const language = chosenLanguage(koa, facts.view.invoice.language);
  const view = checkoutView(facts);
  return { view, language, now: facts.now, version: versionOf(view, language) };
}

/** A classic script, which needs no CORS. Its address stays: a new one must reach shops soon. */
function serveInShops(koa: Context, file: BuiltFile): void {
  serveFile(koa, file, "public, max-age=600");
  koa.set("Cross-Origin-Resource-Policy", "cross-origin");
}

/** All public, counted for the sender's address: the page, its `/state` (304 until it changes) and `/stream`. */
export function checkoutPages(parts: CheckoutParts): Router<ApiState> {
  const site = siteOf(parts);
  const router = new Router<ApiState>({ sensitive: true });
  router.param("invoiceId", (id, koa, next) => {
    koa.params.invoiceId = nativeId(id);
    return next();
  });
  const customer = testCustomerOf(parts);
  const before = [compressPublic, friendly(parts, site), addressLimit(parts, PAGE_POINTS)];
  addTestActions(router, parts, { base: site.base, before });
  const show = async (koa: Context, id: string, refusal: Refusal | null): Promise<void> => {
    const opens = refusal === null;
    const { view, language, now, version } = await read(parts, koa, id, { opens });
    const stateUrl = `${site.base}i/${view.invoiceId}/state?lang=${language.code}`;
    const panel = customer && (await testPanel(customer, view, site.base));
    send(koa, site, {
      title: pageTitle(view, language),
      language,
      refreshSeconds: reloadSeconds(view, refusal),
      store: view.store,
      body: html`${invoiceBody(view, { language, now, stateUrl, version, refusal })}${panel}`,
      hasForm: true, // whatever it shows now, since it changes in place
    });
  };
  router.get("/i/:invoiceId", ...before, (koa) => show(koa, koa.params.invoiceId ?? "", null));
  addFormsOfCustomer(router, parts, { base: site.base, before, show });
  addPaymentLinks(router, parts, { site, before });
  router.get("/i/:invoiceId/state", compressPublic, addressLimit(parts), async (koa) => {
    const { view, language, now, version } = await read(parts, koa, koa.params.invoiceId ?? "");
    koa.set("Cache-Control", "no-cache");
    koa.etag = version;
    koa.status = 200;
    if (koa.fresh) koa.status = 304;
    else {
      koa.type = "json";
      koa.body = JSON.stringify(stateOf(view, language, { now, version }));
    }
  });
  router.get("/i/:invoiceId/stream", addressLimit(parts), invoiceStream(parts));
  const { modal, btcpayModal } = parts;
  if (modal !== null) router.get("/modal.js", (koa) => serveInShops(koa, modal));
  if (btcpayModal !== null) router.get("/modal/btcpay.js", (koa) => serveInShops(koa, btcpayModal));
  for (const [name, file] of parts.checkout?.files ?? [])
    router.get(`/checkout/${name}`, (koa) => serveFile(koa, file, keeping(name)));
  return router;
}
