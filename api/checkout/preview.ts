import type { Amount } from "../../domain/invoice/receipt";
import { satsToFiat } from "../../domain/money/money";
import { isFiat } from "../../domain/money/currencies";
import type { Store } from "../../entities/store";
import { chooseLanguage } from "../../domain/languages/language";
import { invoicePart } from "./page/invoice-part";
import { documentOf } from "./page/document";
import { html } from "../http/html";
import { pageTitle, unitSwitch } from "./page/body";
import { siteOf, type SiteParts } from "./site";
import type { CheckoutView } from "./view";
import type { Way } from "./page/ways";

export type PreviewPhase = "waiting" | "paid";
type Look = Pick<Store, "name" | "logoUrl" | "brandColor" | "website" | "supportUrl" | "sellerDetails">;

const DUE_SATS = 90_728n;
const RATE = "55000";
const MINUTES_MS = 60_000;
/** No wallet could pay it. */
const NOT_PAYABLE = "This is an example";

const example = (kind: Way["kind"]): Way => ({
  kind,
  address: kind === "lightning" ? null : NOT_PAYABLE,
  bolt11: kind === "onchain" ? null : NOT_PAYABLE,
  uri: "#",
  qrText: NOT_PAYABLE,
});

/**
 * An invoice that does not exist, for a frame without scripts of the dashboard, whose policy it inherits, and so its
 * `nonce`.
 */
export function previewDocument(
  parts: SiteParts,
  store: Look & Pick<Store, "defaultCurrency">,
  { phase, nonce, now }: { phase: PreviewPhase; nonce: string; now: Date },
): string {
  const language = chooseLanguage(["en"]);
  const { assets, banner } = siteOf(parts);
  const view = exampleView(store, phase, now);
  return documentOf({
    title: pageTitle(view, language),
    language,
    assets: assets && { ...assets, script: null },
    refreshSeconds: null,
    nonce,
    store: view.store,
    banner: banner(language),
    body: html`<main>
      <div class="top">
        <p id="time-left" hidden></p>
        ${unitSwitch(language)}
      </div>
      <div id="invoice">${invoicePart(view, language)}</div>
    </main>`,
  });
}

function exampleView(
  { defaultCurrency, ...store }: Look & Pick<Store, "defaultCurrency">,
  phase: PreviewPhase,
  now: Date,
): CheckoutView {
  const currency = isFiat(defaultCurrency) ? defaultCurrency : null;
  const amount = (sats: bigint): Amount => ({
    sats,
    fiat: currency === null ? null : satsToFiat(sats, RATE, currency),
  });
  const [due, none] = [amount(DUE_SATS), amount(0n)];
  const paid = phase === "paid";
  return {
    invoiceId: "inv_example",
    phase,
    store: { ...store, framedBy: [] },
    orderId: "A-1001",
    description: "Two pounds of tea",
    due,
    paid: paid ? due : none,
    remaining: paid ? none : due,
    excess: none,
    vanished: false,
    currency,
    rate: currency === null ? null : RATE,
    ways: paid ? [] : [example("any"), example("onchain"), example("lightning")],
    missing: [],
    mayChooseOnchain: false,
    confirmations: null,
    receipts: [],
    receiptsOmitted: 0,
    createdAt: now,
    expiresAt: new Date(now.getTime() + 15 * MINUTES_MS),
    refund: { asked: false, left: null },
    receiptMail: { asked: false, left: null, sent: false },
    returnUrl: null,
    returnsToLink: false,
    redirectAutomatically: false,
  };
}
