import { minorUnits } from "../../../domain/money/currencies";
import type { PaymentLink } from "../../../entities/payment-link";
import type { Language } from "../../../domain/languages/language";
import { html, type Html } from "../../http/html";
import { qrCode } from "../page/qr";
import { linkAmount } from "./link-amount";

export interface LinkForm {
  /** The same for all that is sent from this page: a double click creates one invoice. */
  key: string;
  wrong: string | null;
  typed: string;
}

export function linkBody(link: PaymentLink, language: Language, form: LinkForm): Html {
  const { amounts, description } = link;
  const [only] = amounts ?? [];
  return html`<main>
    <form method="post" class="link">
      <h1>${description}</h1>
      <input type="hidden" name="key" value="${form.key}" />
      ${
        amounts === null
          ? ownAmount(link, language, form)
          : amounts.length === 1
            ? fixed(link, only ?? "", language)
            : choices(link, amounts, language)
      }
      ${form.wrong === null ? null : html`<p class="wrong" id="link-wrong" role="alert">${form.wrong}</p>`}
      ${amounts !== null && amounts.length > 1 ? null : payButton(language)}
    </form>
  </main>`;
}

const payButton = (language: Language): Html =>
  html`<button type="submit" class="button primary" id="link-pay">${language.text("linkPay")}</button>`;

const fixed = ({ currency }: PaymentLink, amount: string, language: Language): Html =>
  html`<p class="big"><bdi>${linkAmount(language, amount, currency)}</bdi></p>
    <input type="hidden" name="amount" value="${amount}" />`;

const choices = ({ currency }: PaymentLink, amounts: readonly string[], language: Language): Html =>
  html`<p id="link-choose">${language.text("linkChoose")}</p>
    <div class="choices" role="group" aria-labelledby="link-choose">
      ${amounts.map(
        (amount) =>
          html`<button type="submit" class="button" name="amount" value="${amount}">
            <bdi>${linkAmount(language, amount, currency)}</bdi>
          </button>`,
      )}
    </div>`;

function ownAmount(link: PaymentLink, language: Language, { typed, wrong }: LinkForm): Html {
  const { currency, minAmount, maxAmount } = link;
  const [least, most] = [minAmount, maxAmount].map((one) => linkAmount(language, one ?? "0", currency));
  return html`<label for="link-amount">${language.text("linkOwn")} (<bdi>${currency}</bdi>)</label>
    <input
      id="link-amount"
      name="amount"
      class="big"
      dir="ltr"
      inputmode="decimal"
      autocomplete="off"
      required
      maxlength="40"
      value="${typed}"
      aria-describedby="${wrong === null ? "" : "link-wrong "}link-bounds"
      ${wrong === null ? null : html`aria-invalid="true"`}
    />
    <p class="note" id="link-bounds">
      ${language.text("linkBounds", { least: least ?? "", most: most ?? "" })}
    </p>
    ${keypad(language, minorUnits(currency) ?? 0)}`;
}

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** In the order of a phone's, whatever the direction of the text. */
function keypad(language: Language, decimals: number): Html {
  const key = (text: string): Html =>
    html`<button type="button" class="button" data-key="${text}">${text}</button>`;
  return html`<div class="keypad scripted" role="group" aria-label="${language.text("linkOwn")}" dir="ltr">
    ${DIGITS.map(key)} ${decimals === 0 ? html`<span></span>` : key(language.decimalPoint)} ${key("0")}
    <button type="button" class="button" data-key="" aria-label="${language.text("linkDelete")}">⌫</button>
  </div>`;
}

/** To be printed, or shown on a screen at the till. */
export function linkPoster(link: PaymentLink, url: string, language: Language): Html {
  const { amounts, description, currency } = link;
  const [only, ...others] = amounts ?? [];
  return html`<main class="poster">
    <h1>${description}</h1>
    ${only === undefined || others.length > 0 ? null : html`<p class="big"><bdi>${linkAmount(language, only, currency)}</bdi></p>`}
    <p>${language.text("linkScan")}</p>
    ${qrCode(url, language.text("linkScan"))}
    <p><code dir="ltr">${url}</code></p>
    <button type="button" class="button scripted" id="print" data-print>${language.text("print")}</button>
  </main>`;
}
