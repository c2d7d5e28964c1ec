import type Router from "@koa/router";
import type { Context, Middleware } from "koa";
import type { CommandContext } from "../../../commands/context";
import { type LinkRefusal, pageOf, payLink } from "../../../commands/payment-links/pay-link";
import { type OpenedLink, openPaymentLink } from "../../../commands/payment-links/read-payment-link";
import { DomainError } from "../../../domain/errors";
import type { CheckoutParts } from "../parts";
import { contextOf } from "../../http/for-request";
import { addressLimit, countAnonymous } from "../../http/middleware/rate-limit";
import { sameSite } from "../../http/middleware/same-site";
import type { ApiState } from "../../http/state";
import { chosenLanguage } from "../chosen-language";
import { FORM, readForm } from "../form";
import type { Language } from "../../../domain/languages/language";
import { messageBody } from "../page/body";
import { html, type Html } from "../../http/html";
import { send } from "../send";
import type { Site } from "../site";
import type { TextKey } from "../../../domain/languages/texts/en";
import { linkAmount } from "./link-amount";
import { linkBody, linkPoster, type LinkForm } from "./link-body";

/** From an address's limit, and from the one that all anonymous customers of a store share. */
const CREATION_POINTS = { address: 300, store: 100 };
const KEY = /^pay_[1-9A-HJ-NP-Za-km-z]{20,40}$/;

const CLOSED = { status: 410, title: "linkClosedTitle", text: "linkClosedText" } as const;
const CLOSED_AS: Readonly<
  Record<Exclude<OpenedLink["standing"], "open">, { status: number; title: TextKey; text: TextKey }>
> = {
  "store-archived": CLOSED,
  archived: CLOSED,
  ended: CLOSED,
  "used-up": CLOSED,
  "day-used-up": { status: 429, title: "linkFullTitle", text: "linkFullText" },
};

/** It can pass: the form is shown again. */
const AWAY: readonly string[] = ["rate-unavailable", "payment-method-unavailable", "unavailable"];

interface Around {
  site: Site;
  before: Middleware<ApiState>[];
}

/** `GET` and `POST /p/{linkId}`, and `/p/{linkId}/print`. Public. */
export function addPaymentLinks(router: Router<ApiState>, parts: CheckoutParts, around: Around): void {
  const { site, before } = around;
  const open = async (koa: Context & { params: { linkId?: string } }) => {
    const ctx = contextOf(parts);
    const opened = await openPaymentLink(ctx, koa.params.linkId ?? "");
    return { ctx, opened, language: chosenLanguage(koa, null) };
  };
  router.get("/p/:linkId", ...before, async (koa) => {
    const { ctx, opened, language } = await open(koa);
    showForm(koa, site, { opened, language, form: { key: ctx.newId("pay"), wrong: null, typed: "" } });
  });
  router.get("/p/:linkId/print", ...before, async (koa) => {
    const { ctx, opened, language } = await open(koa);
    show(koa, site, { opened, language, body: linkPoster(opened.link, pageOf(ctx, opened.link), language) });
  });
  const ownPage = sameSite(new URL(parts.publicUrl).origin, FORM);
  const limit = addressLimit(parts, CREATION_POINTS.address);
  router.post("/p/:linkId", ...before, ownPage, limit, async (koa) => {
    const { ctx, opened, language } = await open(koa);
    await countAnonymous(koa, parts, opened.link.storeId, CREATION_POINTS.store);
    const form = await readForm(koa);
    const [typed, sent] = [form?.get("amount") ?? "", form?.get("key") ?? ""];
    const key = KEY.test(sent) ? sent : ctx.newId("pay");
    const paid = await payOrSay(ctx, opened, { typed, key });
    if ("invoiceId" in paid) {
      koa.status = 303;
      koa.redirect(`${site.base}i/${paid.invoiceId}${koa.search}`);
      return;
    }
    const { refused } = paid;
    if (refused in CLOSED_AS) {
      const standing = refused as keyof typeof CLOSED_AS;
      showForm(koa, site, { opened: { ...opened, standing }, language, form: { key, wrong: null, typed } });
      return;
    }
    koa.status = refused === "away" ? 503 : 422;
    showForm(koa, site, {
      opened,
      language,
      form: { key, typed, wrong: reasonOf(refused, opened, language) },
    });
  });
}

type Refused = LinkRefusal | "away";

async function payOrSay(
  ctx: CommandContext,
  opened: OpenedLink,
  payment: { typed: string; key: string },
): Promise<{ invoiceId: string } | { refused: Refused }> {
  try {
    return await payLink(ctx, opened, payment);
  } catch (error) {
    if (!(error instanceof DomainError) || !AWAY.includes(error.code)) throw error;
    return { refused: "away" };
  }
}

function reasonOf(refused: Refused, { link }: OpenedLink, language: Language): string {
  if (refused === "away") return language.text("busyTitle");
  const example = linkAmount(language, link.minAmount ?? link.amounts?.[0] ?? "1", link.currency);
  return refused === "unreadable-amount"
    ? language.text("linkUnreadable", { example })
    : language.text("linkNotOffered");
}

const showForm = (
  koa: Context,
  site: Site,
  { form, ...shown }: { opened: OpenedLink; language: Language; form: LinkForm },
): void =>
  show(koa, site, { ...shown, body: linkBody(shown.opened.link, shown.language, form), hasForm: true });

interface Shown {
  opened: OpenedLink;
  language: Language;
  body: Html;
  hasForm?: boolean;
}

/** A link that takes no payments shows nothing else. */
function show(koa: Context, site: Site, { opened, language, body, hasForm = false }: Shown): void {
  const { link, store, standing } = opened;
  const page = {
    language,
    store: { ...store, framedBy: store.checkoutOrigins },
    refreshSeconds: null,
  };
  if (standing === "open") {
    send(koa, site, { ...page, title: `${link.description} – ${store.name}`, body, hasForm });
    return;
  }
  const { status, title, text } = CLOSED_AS[standing];
  koa.status = status;
  const message = messageBody(language.text(title), language.text(text, { store: store.name }));
  send(koa, site, { ...page, title: `${language.text(title)} – ${store.name}`, body: html`${message}` });
}
