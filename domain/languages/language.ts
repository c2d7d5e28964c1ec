import { formatBtc } from "../money/money";
import { CATALOGUES } from "./catalogues";
import type { TextKey } from "./texts/en";

export const LANGUAGES: readonly { code: string; name: string; tag: string }[] = Object.entries(
  CATALOGUES,
).map(([code, { name, tag = code }]) => ({ code, name, tag }));

type Values = Readonly<Record<string, string | number>>;

export interface Language {
  code: string;
  name: string;
  /** For `lang`: "zh-Hans" of "zh". */
  tag: string;
  direction: "ltr" | "rtl";
  text(key: TextKey, values?: Values): string;
  /** Keeps its own direction in a line of the language. */
  isolated(value: string): string;
  /** Between whole units and decimals. */
  decimalPoint: string;
  sats(sats: bigint): string;
  btc(sats: bigint): string;
  /** A decimal string in a fiat currency. */
  fiat(amount: string, currency: string): string;
  /** With "UTC" in the text. */
  time(at: Date): string;
}

/** "pt-BR" is served by "pt". */
export function chooseLanguage(wished: readonly string[]): Language {
  const codes = wished.map((tag) => tag.toLowerCase().split("-")[0] ?? "");
  const code = codes.find((one) => Object.hasOwn(CATALOGUES, one)) ?? "en";
  const language = SPOKEN.get(code) ?? speak(code);
  SPOKEN.set(code, language);
  return language;
}

/** Intl's objects are large and slow to create. */
const SPOKEN = new Map<string, Language>();

function speak(code: string): Language {
  const { name, texts, rightToLeft, tag = code } = CATALOGUES[code] ?? CATALOGUES.en;
  // The digits of addresses and of what wallets show.
  const locale = `${tag}-u-nu-latn`;
  const number = new Intl.NumberFormat(locale);
  const moneys = new Map<string, Intl.NumberFormat>();
  const moneyOf = (currency: string): Intl.NumberFormat => {
    const money = moneys.get(currency) ?? new Intl.NumberFormat(locale, { style: "currency", currency });
    moneys.set(currency, money);
    return money;
  };
  const instant = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "medium",
    timeZone: "UTC",
  });
  // Names and amounts keep their own direction (Unicode bidi: FSI … PDI).
  const isolated = (value: string): string => (rightToLeft === true ? `\u2068${value}\u2069` : value);
  return {
    code,
    name,
    tag,
    direction: rightToLeft === true ? "rtl" : "ltr",
    text: (key, values = {}) =>
      texts[key].replace(/\{(\w+)\}/g, (whole, place: string) => {
        const value = values[place];
        return value === undefined ? whole : isolated(String(value));
      }),
    isolated,
    decimalPoint: number.formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".",
    sats: (sats) => `${number.format(sats)} sats`,
    btc: (sats) => `${formatBtc(sats)} BTC`,
    fiat: (amount, currency) => moneyOf(currency).format(amount as `${number}`),
    time: (at) => `${instant.format(at)} UTC`,
  };
}
