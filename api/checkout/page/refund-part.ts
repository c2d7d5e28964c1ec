import type { RefundAddressAnswer } from "../../../commands/invoices/leave-refund-address";
import { html, type Html } from "./html";
import type { Language } from "../../../domain/languages/language";
import type { TextKey } from "../../../domain/languages/texts/en";
import type { CheckoutView } from "../view";

export interface RefundRefusal {
  answer: Exclude<RefundAddressAnswer, "left">;
  typed: string;
}

const REASONS: Readonly<Record<RefundRefusal["answer"], TextKey>> = {
  empty: "refundEmpty",
  lightning: "refundLightning",
  "other-network": "refundOtherNetwork",
  "typing-error": "refundTypo",
  "no-address": "refundNoAddress",
  own: "refundOwn",
  taken: "refundTaken",
  "not-needed": "refundNotNeeded",
};

export function refundPart(
  { refund, store }: CheckoutView,
  language: Language,
  refusal: RefundRefusal | null,
): Html | null {
  const name = { store: store.name };
  const reason = refusal && language.text(REASONS[refusal.answer], name);
  const { left, asked } = refund;
  if (left === null && !asked && reason === null) return null;
  const title = language.text(left === null ? "refundTitle" : "refundLeftTitle");
  const alone = reason !== null && !asked;
  return html`<section
    class="refund help"
    id="refund"
    aria-labelledby="refund-title"
    tabindex="-1"
    ${alone ? html`autofocus` : null}
  >
    <h2 id="refund-title">${title}</h2>
    ${alone ? html`<p class="wrong">${reason}</p>` : null}
    ${
      left === null
        ? null
        : html`<p><code dir="ltr">${left}</code></p>
            <p>${language.text("refundLeftText", name)}</p>`
    }
    ${asked ? form(language, { name, reason, typed: refusal?.typed ?? "" }) : null}
  </section>`;
}

/** Without an action the form is posted to its own page, in that page's language. */
function form(
  language: Language,
  { name, reason, typed }: { name: { store: string }; reason: string | null; typed: string },
): Html {
  const wrong = reason !== null;
  return html`<p>${language.text("refundText", name)}</p>
    <form method="post">
      <label for="refund-address">${language.text("refundLabel")}</label>
      <textarea
        id="refund-address"
        name="refundAddress"
        rows="3"
        dir="ltr"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        aria-describedby="${wrong ? "refund-wrong " : ""}refund-hint"
        ${wrong ? html`aria-invalid="true" autofocus` : null}
      >
${typed}</textarea>
      ${wrong ? html`<p class="wrong" id="refund-wrong">${reason}</p>` : null}
      <p class="note" id="refund-hint">${language.text("refundHint")}</p>
      <button type="submit" class="button" id="refund-leave">${language.text("refundLeave")}</button>
    </form>`;
}
