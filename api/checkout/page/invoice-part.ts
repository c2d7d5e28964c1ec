import { bothUnits, sentence, wholeAmount } from "./amounts";
import { detailsSection, time } from "./details";
import { html, type Html } from "../../http/html";
import type { Language } from "../../../domain/languages/language";
import { paySection } from "./pay";
import { isDone, isOpen, type Phase } from "../../../domain/invoice/phase";
import type { Amount } from "../../../domain/invoice/receipt";
import { receiptPart } from "./receipt-part";
import { refundPart } from "./refund-part";
import type { TextKey } from "../../../domain/languages/texts/en";
import type { Refusal } from "../left-by-customer";
import type { CheckoutView } from "../view";

const SIGNS: Readonly<Record<Phase, { tone: string; sign: string }>> = {
  waiting: { tone: "calm", sign: "…" },
  partial: { tone: "warn", sign: "!" },
  checking: { tone: "calm", sign: "…" },
  seen: { tone: "calm", sign: "…" },
  paid: { tone: "good", sign: "✓" },
  accepted: { tone: "good", sign: "✓" },
  overpaid: { tone: "good", sign: "✓" },
  paidLate: { tone: "warn", sign: "✓" },
  expired: { tone: "bad", sign: "×" },
  underpaid: { tone: "warn", sign: "!" },
  lateSeen: { tone: "warn", sign: "…" },
  invalid: { tone: "bad", sign: "×" },
};

function textKey({ phase, excess, paid, vanished }: CheckoutView): TextKey {
  if (phase === "paidLate" && excess.sats > 0n) return "paidLateOverText";
  // After a vanished payment there is nothing to ask the store for; a new invoice is needed.
  if (phase === "invalid" && vanished && paid.sats === 0n) return "expiredText";
  return `${phase}Text`;
}

function statusText(view: CheckoutView, language: Language): Html {
  const say = (amount: Amount): Html => wholeAmount(language, amount, view.currency);
  return sentence(language, textKey(view), {
    store: html`${view.store.name}`,
    paid: say(view.paid),
    due: say(view.due),
    remaining: say(view.remaining),
    excess: say(view.excess),
  });
}

/** Changes with the invoice: the script replaces it. */
export function invoicePart(view: CheckoutView, language: Language, refusal: Refusal | null = null): Html {
  const { phase } = view;
  return html`<div class="first">
      ${isOpen(phase) ? amountHead(view, language) : null} ${status(view, language)}
    </div>
    ${paySection(view, language, phase === "waiting" ? howToPay(view, language) : null)}
    <div class="last">
      ${phase === "expired" ? alreadyPaid(view, language) : null}
      ${refundPart(view, language, refusal?.of === "refund" ? refusal : null)} ${wayOn(view, language)}
      ${receiptPart(view, language, refusal?.of === "receipt" ? refusal : null)}
      ${detailsSection(view, language)}
    </div>`;
}

/** Below the code, which comes before its explanation. */
const howToPay = (view: CheckoutView, language: Language): Html =>
  html`<p class="note" data-announced>${statusText(view, language)}</p>`;

function amountHead(view: CheckoutView, language: Language): Html {
  const { due, remaining, currency, rate, phase, expiresAt } = view;
  const shown = phase === "partial" ? remaining : due;
  return html`<section class="amount" aria-labelledby="amount">
    <h2 id="amount">${language.text(phase === "partial" ? "stillDue" : "amountDue")}</h2>
    <p class="big">${bothUnits(language, shown.sats)}</p>
    ${
      shown.fiat === null || currency === null || rate === null
        ? null
        : html`<p class="fiat">
            <bdi>${language.fiat(shown.fiat, currency)}</bdi>
            <small><bdi>${language.text("rate", { rate: language.fiat(rate, currency) })}</bdi></small>
          </p>`
    }
    <p class="note"><span>${language.text("expires")}:</span> ${time(expiresAt, language)}</p>
  </section>`;
}

/** Large: a customer shows it to the store. */
function paidHead({ phase, due, paid, currency, orderId }: CheckoutView, language: Language): Html | null {
  if (!isDone(phase) || phase === "paidLate") return null;
  const { sats, fiat } = phase === "accepted" ? due : paid;
  return html`<p class="big">
      ${fiat === null || currency === null ? bothUnits(language, sats) : html`<bdi>${language.fiat(fiat, currency)}</bdi>`}
    </p>
    ${orderId === null ? null : html`<p class="label">${language.text("order")} <bdi>${orderId}</bdi></p>`}`;
}

function status(view: CheckoutView, language: Language): Html {
  const { tone, sign } = SIGNS[view.phase];
  const { confirmations } = view;
  const waitsForBlocks = view.phase === "seen" || view.phase === "lateSeen" || view.phase === "underpaid";
  const head = paidHead(view, language);
  return html`<section class="status ${tone} ${head === null ? "" : "done"}" aria-labelledby="status">
    <span class="sign" aria-hidden="true">${sign}</span>
    <h1 id="status" tabindex="-1">${language.text(`${view.phase}Title`)}</h1>
    ${head} ${vanishedNote(view, language)}
    ${view.phase === "waiting" ? null : html`<p data-announced>${statusText(view, language)}</p>`}
    ${
      confirmations === null || !(waitsForBlocks || view.phase === "partial")
        ? null
        : html`<p class="confirmations">${language.text("confirmations", confirmations)}</p>
            <progress
              max="${Math.max(confirmations.need, 1)}"
              value="${confirmations.have}"
              aria-hidden="true"
            ></progress>`
    }
  </section>`;
}

function vanishedNote({ vanished, phase, store }: CheckoutView, language: Language): Html | null {
  if (!vanished) return null;
  const key = isOpen(phase) ? "vanishedOpen" : "vanishedClosed";
  return html`<p id="vanished" data-announced>${language.text(key, { store: store.name })}</p>`;
}

function alreadyPaid({ store }: CheckoutView, language: Language): Html {
  return html`<section class="help" aria-labelledby="already">
    <h2 id="already">${language.text("alreadyPaidTitle")}</h2>
    <p>${language.text("alreadyPaidText", { store: store.name })}</p>
  </section>`;
}

/** Nothing depends on the customer going back: the store gets its webhook. */
function wayOn(view: CheckoutView, language: Language): Html {
  const { store, returnUrl, phase } = view;
  const name = { store: store.name };
  const primary = isDone(phase) || phase === "seen" ? "primary" : "";
  const back =
    returnUrl === null
      ? null
      : html`<a class="button ${primary}" id="return" href="${returnUrl}" target="_top" rel="noreferrer"
          >${language.text(view.returnsToLink ? "linkNext" : "returnToStore", name)}</a
        >`;
  const automatic =
    returnUrl !== null && view.redirectAutomatically && isDone(phase) && !view.refund.asked
      ? html`<p class="redirecting" data-redirect="${language.text("redirecting", name)}" hidden></p>`
      : null;
  const link = (url: string | null, key: "contact" | "website"): Html | null =>
    url === null
      ? null
      : html`<li><a href="${url}" target="_top" rel="noreferrer">${language.text(key, name)}</a></li>`;
  const links = [link(store.supportUrl, "contact"), link(store.website, "website")].filter(
    (one) => one !== null,
  );
  return html`<nav class="on" aria-label="${store.name}">
    ${back} ${automatic}
    ${
      links.length === 0
        ? null
        : html`<ul>
            ${links}
          </ul>`
    }
  </nav>`;
}
