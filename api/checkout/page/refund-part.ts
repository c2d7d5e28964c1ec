import type { RefundAddressAnswer } from "../../../commands/invoices/leave-refund-address";
import { askingPart } from "./asking-part";
import { html, type Html } from "../../http/html";
import type { Language } from "../../../domain/languages/language";
import type { TextKey } from "../../../domain/languages/texts/en";
import type { CheckoutView } from "../view";

export interface RefundRefusal {
  of: "refund";
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
const FIELD = {
  id: "refund",
  name: "refundAddress",
  label: "refundLabel",
  hint: "refundHint",
  leave: "refundLeave",
} as const;

export function refundPart(
  { refund: { left, asked }, store }: CheckoutView,
  language: Language,
  refusal: RefundRefusal | null,
): Html | null {
  if (left === null && !asked && refusal === null) return null;
  const name = { store: store.name };
  const leftText = html`<p><code dir="ltr">${left}</code></p>
    <p>${language.text("refundLeftText", name)}</p>`;
  return askingPart(language, {
    field: FIELD,
    title: language.text(left === null ? "refundTitle" : "refundLeftTitle"),
    reason: refusal && language.text(REASONS[refusal.answer], name),
    typed: refusal?.typed ?? "",
    asked,
    text: left !== null ? leftText : asked ? html`<p>${language.text("refundText", name)}</p>` : null,
    // A browser drops the first line break.
    control: (attributes, typed) =>
      html`<textarea ${attributes} rows="3" autocomplete="off">${`\n${typed}`}</textarea>`,
  });
}
