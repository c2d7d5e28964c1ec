import { html, type Html } from "../../http/html";
import type { Language } from "../../../domain/languages/language";
import type { TextKey } from "../../../domain/languages/texts/en";
import type { Amount } from "../../../domain/invoice/receipt";

/** The page's switch hides one unit. As in wallets, digits run from left to right in every language. */
export const bothUnits = (language: Language, sats: bigint): Html =>
  html`<span class="in-sats" dir="ltr">${language.sats(sats)}</span
    ><span class="in-btc" dir="ltr">${language.btc(sats)}</span>`;

export function wholeAmount(language: Language, { sats, fiat }: Amount, currency: string | null): Html {
  const inFiat =
    fiat === null || currency === null
      ? null
      : html` <span class="fiat">(<bdi>${language.fiat(fiat, currency)}</bdi>)</span>`;
  return html`<span dir="ltr">${bothUnits(language, sats)}${inFiat}</span>`;
}

/** Amounts in sentences follow the page's switch too. */
export function sentence(language: Language, key: TextKey, values: Readonly<Record<string, Html>>): Html {
  const pieces = language.text(key).split(/\{(\w+)\}/);
  return html`${pieces.map((piece, at) => (at % 2 === 0 ? piece : html`<bdi>${values[piece] ?? null}</bdi>`))}`;
}
