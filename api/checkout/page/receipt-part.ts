import type { ReceiptAnswer } from "../../../commands/mails/ask-for-receipt";
import { isDone } from "../../../domain/invoice/phase";
import { askingPart } from "./asking-part";
import { html, type Html } from "../../http/html";
import type { Language } from "../../../domain/languages/language";
import type { TextKey } from "../../../domain/languages/texts/en";
import type { CheckoutView } from "../view";

export interface ReceiptRefusal {
  of: "receipt";
  answer: Exclude<ReceiptAnswer, "left">;
  typed: string;
}

const REASONS: Readonly<Record<ReceiptRefusal["answer"], TextKey>> = {
  "no-email": "receiptMailWrong",
  closed: "receiptMailClosed",
};
const FIELD = {
  id: "receipt",
  name: "receiptEmail",
  label: "receiptMailLabel",
  hint: "receiptMailText",
  leave: "receiptMailLeave",
} as const;

/** Before the payment for browsers with scripts alone: others reload the page, which discards what is being typed. */
export const asksForReceipt = ({ receiptMail: { asked }, phase }: CheckoutView): boolean =>
  asked && isDone(phase);

export function receiptPart(
  view: CheckoutView,
  language: Language,
  refusal: ReceiptRefusal | null,
): Html | null {
  const { asked, left, sent } = view.receiptMail;
  if (!asked && left === null && !sent && refusal === null) return null;
  const text = sent
    ? language.text("receiptMailSent")
    : left === null
      ? null
      : language.text("receiptMailLeft", { email: left });
  return askingPart(language, {
    field: FIELD,
    title: language.text("receiptMailTitle"),
    reason: refusal && language.text(REASONS[refusal.answer]),
    typed: refusal?.typed ?? "",
    asked,
    text: text === null ? null : html`<p>${text}</p>`,
    control: (attributes, typed) =>
      html`<input ${attributes} type="email" autocomplete="email" maxlength="254" value="${typed}" />`,
    scripted: left === null && refusal === null && !asksForReceipt(view),
  });
}
