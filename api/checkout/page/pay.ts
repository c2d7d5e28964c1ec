import { askedOnchainSats } from "../../../domain/chain/dust";
import { bothUnits, sentence } from "./amounts";
import { html, type Html } from "../../http/html";
import type { Language } from "../../../domain/languages/language";
import { qrCode } from "./qr";
import type { TextKey } from "../../../domain/languages/texts/en";
import type { CheckoutView } from "../view";
import type { Way } from "./ways";

const QR_LABELS = { any: "qrAny", onchain: "qrOnchain", lightning: "qrLightning" } as const;

/** Shows a single payment method at a time. */
export function paySection(view: CheckoutView, language: Language, how: Html | null): Html | null {
  if (view.remaining.sats === 0n) return null;
  const { ways, missing, mayChooseOnchain } = view;
  const notes: TextKey[] = missing.map((type) =>
    type === "BTC-CHAIN" ? "missingOnchain" : "missingLightning",
  );
  if (ways.length === 0 && missing.length === 0 && !mayChooseOnchain) return null;
  const shownNotes = ways.length === 0 && !mayChooseOnchain ? (["noWays"] as const) : notes;
  return html`<section class="pay" aria-labelledby="ways">
    <h2 id="ways" class="unseen">${language.text("waysTitle")}</h2>
    ${ways.length > 1 ? tabs(ways, language) : null}
    ${ways.map((way) => panel(way, view, language, ways.length > 1))} ${ways.length > 0 ? how : null}
    ${mayChooseOnchain ? onchainChoice(view, language) : null} ${dustNote(view, language)}
    ${shownNotes.map((note) => html`<p class="note">${language.text(note)}</p>`)}
  </section>`;
}

/** Above the remainder where no node would relay that. */
const asked = ({ address }: Way, { remaining }: CheckoutView): bigint =>
  address === null ? remaining.sats : askedOnchainSats(address, remaining.sats);

function dustNote(view: CheckoutView, language: Language): Html | null {
  const least = view.ways.map((way) => asked(way, view)).find((sats) => sats > view.remaining.sats);
  if (least === undefined) return null;
  return html`<p class="note">
    ${sentence(language, "dustRemainder", { least: bothUnits(language, least) })}
  </p>`;
}

const onchainChoice = ({ invoiceId }: CheckoutView, language: Language): Html =>
  html`<form method="post" action="${invoiceId}/onchain?lang=${language.code}">
    <button type="submit" class="button" id="choose-onchain">${language.text("chooseOnchain")}</button>
  </form>`;

/** They work by keyboard and without scripts. */
function tabs(ways: readonly Way[], language: Language): Html {
  const inputs = ways.map(
    ({ kind }, at) =>
      html`<input
          class="unseen"
          type="radio"
          name="way"
          id="way-${kind}"
          aria-labelledby="tab-${kind}"
          ${at === 0 ? html`checked` : null}
        /><label class="tab" id="tab-${kind}" for="way-${kind}">${language.text(kind)}</label>`,
  );
  return html`<fieldset class="tabs">
    <legend class="unseen">${language.text("waysTitle")}</legend>
    ${inputs}
  </fieldset>`;
}

function panel(way: Way, view: CheckoutView, language: Language, oneOfMany: boolean): Html {
  const { kind, uri, qrText, address, bolt11 } = way;
  return html`<div class="panel ${oneOfMany ? `of-${kind}` : ""}">
    ${qrCode(qrText, language.text(QR_LABELS[kind]))}
    <a class="button primary" href="${uri}" target="_top">${language.text("openWallet")}</a>
    ${kind === "any" ? addressHint(language) : values({ address, bolt11, amountSats: asked(way, view), kind }, language)}
  </div>`;
}

/** Without scripts a label switches the tab; by keyboard the tab itself does. */
const addressHint = (language: Language): Html =>
  html`<label class="hint" for="way-onchain"
    >${language.text("addressHint", { bitcoin: language.text("onchain") })}</label
  >`;

function values(
  way: { kind: string; address: string | null; bolt11: string | null; amountSats: bigint },
  language: Language,
): Html {
  const { kind, address, bolt11, amountSats } = way;
  return html`<div class="values">
    ${address === null ? null : copyField({ id: `${kind}-address`, label: "address", value: address }, language)}
    ${bolt11 === null ? null : copyField({ id: `${kind}-bolt11`, label: "bolt11", value: bolt11 }, language)}
    ${address === null ? null : amountField(kind, amountSats, language)}
  </div>`;
}

/** Wallets expect the bare number. */
function amountField(kind: string, sats: bigint, language: Language): Html {
  const btc = language.btc(sats).replace(" BTC", "");
  return html`<div class="value">
    <span class="label">${language.text("amount")}</span>
    <code dir="ltr">${bothUnits(language, sats)}</code>
    <span class="in-sats">${copyButton(`${kind}-sats`, "amount", String(sats), language)}</span>
    <span class="in-btc">${copyButton(`${kind}-btc`, "amount", btc, language)}</span>
  </div>`;
}

function copyField(field: { id: string; label: TextKey; value: string }, language: Language): Html {
  return html`<div class="value">
    <span class="label">${language.text(field.label)}</span>
    <code dir="ltr">${field.value}</code>
    ${copyButton(field.id, field.label, field.value, language)}
  </div>`;
}

export function copyButton(id: string, label: TextKey, value: string, language: Language): Html {
  const name = language.text("copyOf", { what: language.text(label) });
  return html`<button
    type="button"
    class="button scripted"
    id="copy-${id}"
    data-copy="${value}"
    aria-label="${name}"
  >
    ${language.text("copy")}
  </button>`;
}
