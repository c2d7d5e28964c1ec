import { html, type Html } from "../../http/html";
import { invoicePart } from "./invoice-part";
import { keptPart } from "./kept-part";
import type { Language } from "../../../domain/languages/language";
import type { Refusal } from "../left-by-customer";
import { asksForReceipt } from "./receipt-part";
import { isOpen } from "../../../domain/invoice/phase";
import { type CheckoutView, mayChange } from "../view";

/** Null if nothing can change any more. */
function refreshSeconds(view: CheckoutView): number | null {
  if (!mayChange(view)) return null;
  const { phase } = view;
  return isOpen(phase) || phase === "checking" ? 20 : 60;
}

/** Without scripts: reloading must not discard what is being typed. */
export const reloadSeconds = (view: CheckoutView, refusal: Refusal | null): number | null =>
  view.refund.asked || asksForReceipt(view) || refusal !== null ? null : refreshSeconds(view);

export function pageTitle(view: CheckoutView, language: Language): string {
  const store = language.text("invoiceFrom", { store: view.store.name });
  return `${language.text(`${view.phase}Title`)} – ${store}`;
}

/** The changing part is in `#invoice`. */
export function invoiceBody(
  view: CheckoutView,
  made: { language: Language; now: Date; stateUrl: string; version: string; refusal: Refusal | null },
): Html {
  const { language, now, stateUrl, version, refusal } = made;
  const { phase } = view;
  const left = Math.floor((view.expiresAt.getTime() - now.getTime()) / 1_000);
  const texts = {
    copied: language.text("copied"),
    copyFailed: language.text("copyFailed"),
    offline: language.text("offline"),
    timeLeft: language.text("timeLeft"),
  };
  const part = refusal === null ? keptPart(view, language, version) : invoicePart(view, language, refusal);
  return html`<main
    data-state="${stateUrl}"
    data-version="${version}"
    data-phase="${phase}"
    data-poll="${mayChange(view) ? "on" : ""}"
    data-framed-by="${view.store.framedBy.join(" ")}"
    data-texts="${JSON.stringify(texts)}"
  >
    <p id="offline" class="warn" role="alert" hidden></p>
    <div class="top">
      <p
        id="time-left"
        role="timer"
        ${isOpen(phase) ? html`data-seconds="${left}"` : null}
        ${soon(phase, left)}
      >
        ${language.text("timeLeft", { time: clock(left) })}
      </p>
      ${unitSwitch(language)}
    </div>
    <div id="invoice">${part}</div>
    <p id="announced" class="unseen" role="status"></p>
  </main>`;
}

/** Shown only in the last five minutes: a clock that is always visible would hurry customers. */
const soon = (phase: CheckoutView["phase"], seconds: number): Html | null =>
  isOpen(phase) && seconds <= 300 ? null : html`hidden`;

const clock = (seconds: number): string => {
  const left = Math.max(0, seconds);
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
};

/** Radio buttons work without scripts. */
export const unitSwitch = (language: Language): Html =>
  html`<fieldset class="units">
    <legend class="unseen">${language.text("showIn")}</legend>
    <input class="unseen" type="radio" name="unit" id="unit-sats" checked /><label for="unit-sats"
      >sats</label
    >
    <input class="unseen" type="radio" name="unit" id="unit-btc" /><label for="unit-btc">BTC</label>
  </fieldset>`;

export const messageBody = (title: string, text: string): Html =>
  html`<main>
    <section class="status calm">
      <h1>${title}</h1>
      <p>${text}</p>
    </section>
  </main>`;
