import { formatBtc } from "../../domain/money";
import type { Amount } from "./view";
import { ar } from "./texts/ar";
import { de } from "./texts/de";
import { en, type TextKey, type Texts } from "./texts/en";
import { es } from "./texts/es";
import { fr } from "./texts/fr";
import { pt } from "./texts/pt";

const CATALOGUES: Readonly<Record<string, { name: string; texts: Texts; rightToLeft?: true }>> = {
  en: { name: "English", texts: en },
  de: { name: "Deutsch", texts: de },
  es: { name: "Español", texts: es },
  fr: { name: "Français", texts: fr },
  pt: { name: "Português", texts: pt },
  ar: { name: "العربية", texts: ar, rightToLeft: true },
};

/** Codes and own names of the languages that the page speaks. */
export const LANGUAGES: readonly { code: string; name: string }[] = Object.entries(CATALOGUES).map(
  ([code, { name }]) => ({ code, name }),
);

type Values = Readonly<Record<string, string | number>>;

/** How a language says things. */
export interface Language {
  code: string;
  direction: "ltr" | "rtl";
  text(key: TextKey, values?: Values): string;
  sats(sats: bigint): string;
  btc(sats: bigint): string;
  /** A decimal string in a fiat currency. */
  fiat(amount: string, currency: string): string;
  /** In UTC, and says so. */
  time(at: Date): string;
}

/** The first of what is wished that is spoken here; "pt-BR" is served by "pt". */
export function chooseLanguage(wished: readonly string[]): Language {
  const spoken = wished.map((tag) => tag.toLowerCase().split("-")[0] ?? "");
  return speak(spoken.find((code) => Object.hasOwn(CATALOGUES, code)) ?? "en");
}

function speak(code: string): Language {
  const { texts, rightToLeft } = CATALOGUES[code] ?? { texts: en };
  // The digits of addresses and of what wallets show.
  const locale = `${code}-u-nu-latn`;
  const number = new Intl.NumberFormat(locale);
  const instant = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "long",
    timeZone: "UTC",
  });
  // Names and amounts keep their own direction (Unicode bidi: FSI … PDI).
  const isolated = (value: string): string => (rightToLeft === true ? `\u2068${value}\u2069` : value);
  return {
    code,
    direction: rightToLeft === true ? "rtl" : "ltr",
    text: (key, values = {}) =>
      texts[key].replace(/\{(\w+)\}/g, (whole, name: string) => {
        const value = values[name];
        return value === undefined ? whole : isolated(String(value));
      }),
    sats: (sats) => `${number.format(sats)} sats`,
    btc: (sats) => `${formatBtc(sats)} BTC`,
    fiat: (amount, currency) =>
      new Intl.NumberFormat(locale, { style: "currency", currency }).format(amount as `${number}`),
    time: (at) => instant.format(at),
  };
}

/** In a sentence: "1,000 sats (€0.55)". */
export function sayAmount(language: Language, { sats, fiat }: Amount, currency: string | null): string {
  const inSats = language.sats(sats);
  return fiat === null || currency === null ? inSats : `${inSats} (${language.fiat(fiat, currency)})`;
}
