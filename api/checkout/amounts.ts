import { html, type Html } from "./html";
import type { Language } from "./language";
import type { Amount } from "./view";

/** In both units; the page's switch hides one. A wallet's digits run from left to right in every language. */
export const bothUnits = (language: Language, sats: bigint): Html =>
  html`<span class="in-sats" dir="ltr">${language.sats(sats)}</span
    ><span class="in-btc" dir="ltr">${language.btc(sats)}</span>`;

/** In bitcoin and, where the price is in one, in fiat. */
export function wholeAmount(language: Language, { sats, fiat }: Amount, currency: string | null): Html {
  const inFiat =
    fiat === null || currency === null
      ? null
      : html` <span class="fiat">(<bdi>${language.fiat(fiat, currency)}</bdi>)</span>`;
  return html`${bothUnits(language, sats)}${inFiat}`;
}
