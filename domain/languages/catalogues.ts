import { ar } from "./texts/ar";
import { de } from "./texts/de";
import { en, type Texts } from "./texts/en";
import { es } from "./texts/es";
import { fa } from "./texts/fa";
import { fr } from "./texts/fr";
import { hi } from "./texts/hi";
import { id } from "./texts/id";
import { it } from "./texts/it";
import { ja } from "./texts/ja";
import { ko } from "./texts/ko";
import { nl } from "./texts/nl";
import { pl } from "./texts/pl";
import { pt } from "./texts/pt";
import { ru } from "./texts/ru";
import { th } from "./texts/th";
import { tr } from "./texts/tr";
import { uk } from "./texts/uk";
import { vi } from "./texts/vi";
import { zh } from "./texts/zh";

export interface Catalogue {
  name: string;
  texts: Texts;
  rightToLeft?: true;
  /** For `lang`, if the code alone leaves the script open. */
  tag?: string;
}

/** By code. English serves all others. */
export const CATALOGUES: Readonly<Record<string, Catalogue> & { en: Catalogue }> = {
  id: { name: "Bahasa Indonesia", texts: id },
  de: { name: "Deutsch", texts: de },
  en: { name: "English", texts: en },
  es: { name: "Español", texts: es },
  fr: { name: "Français", texts: fr },
  it: { name: "Italiano", texts: it },
  nl: { name: "Nederlands", texts: nl },
  pl: { name: "Polski", texts: pl },
  pt: { name: "Português", texts: pt },
  vi: { name: "Tiếng Việt", texts: vi },
  tr: { name: "Türkçe", texts: tr },
  ru: { name: "Русский", texts: ru },
  uk: { name: "Українська", texts: uk },
  ar: { name: "العربية", texts: ar, rightToLeft: true },
  fa: { name: "فارسی", texts: fa, rightToLeft: true },
  hi: { name: "हिन्दी", texts: hi },
  th: { name: "ไทย", texts: th },
  zh: { name: "简体中文", texts: zh, tag: "zh-Hans" },
  ja: { name: "日本語", texts: ja },
  ko: { name: "한국어", texts: ko },
};
