import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { CATALOGUES } from "../../../domain/languages/catalogues";
import { chooseLanguage, LANGUAGES } from "../../../domain/languages/language";
import { en, type TextKey } from "../../../domain/languages/texts/en";

const FOLDER = path.join(__dirname, "../../../domain/languages/texts");
const KEYS = Object.keys(en) as TextKey[];
const { en: english, ...others } = CATALOGUES;

/** What some languages rightly say as English does: names, and words that they share. */
const SAME: Partial<Record<TextKey, readonly string[]>> = {
  rate: Object.keys(others),
  onchain: ["de", "es", "fr", "id", "it", "nl", "pl", "pt", "ru", "tr", "uk", "vi"],
  lightning: ["de", "es", "fr", "id", "it", "nl", "pl", "pt", "ru", "tr", "uk", "vi"],
  description: ["fr"],
};

describe("the checkout's languages", () => {
  const places = (text: string): string[] => (text.match(/\{[^}]*\}/g) ?? []).sort();

  it("are English and at least eleven others, with right-to-left ones, and no catalogue is forgotten", () => {
    const files = readdirSync(FOLDER).map((file) => path.basename(file, ".ts"));
    expect(LANGUAGES.map(({ code }) => code).sort()).to.deep.equal(files.sort());
    expect(Object.keys(others)).to.have.length.of.at.least(11).and.to.include.members(["ar", "fa"]);
    expect(new Set(LANGUAGES.map(({ name }) => name)).size).to.equal(LANGUAGES.length);
    expect(english.texts).to.equal(en);
  });

  it("are all in the documents", () => {
    const document = readFileSync(path.join(__dirname, "../../../docs/checkout.md"), "utf8");
    const [, section = ""] = /\n## Languages\n(.*?)\n- /s.exec(document) ?? [];
    const named = [...section.matchAll(/`(\w+)`/g)].map(([, code]) => code);
    expect(named.sort()).to.deep.equal(LANGUAGES.map(({ code }) => code).sort());
  });

  for (const [code, { texts }] of Object.entries(CATALOGUES))
    it(`${code}: has every text of the English one with its values, no other, and no blanks around it`, () => {
      expect(Object.keys(texts).sort()).to.deep.equal([...KEYS].sort());
      for (const key of KEYS) {
        expect(texts[key], key).to.match(/^\S(.*\S)?$/);
        expect([...new Set(places(texts[key]))], key).to.deep.equal([...new Set(places(en[key]))]);
      }
    });

  for (const [code, { texts, rightToLeft }] of Object.entries(others))
    it(`${code}: nothing is left in English`, () => {
      const left = KEYS.filter((key) => texts[key] === en[key] && SAME[key]?.includes(code) !== true);
      expect(left).to.deep.equal([]);
      // Written in the language's own letters.
      const ofLanguage = new Intl.Locale(code).maximize().script ?? "";
      const letters = { Jpan: "Hiragana", Kore: "Hangul", Hans: "Han" }[ofLanguage] ?? ofLanguage;
      const own = new RegExp(`\\p{Script=${letters}}`, "u");
      expect(KEYS.filter((key) => key.endsWith("Title") && !own.test(texts[key]))).to.deep.equal([]);
      expect(rightToLeft === true, "its direction").to.equal(letters === "Arab");
    });

  it("are chosen by the first known preference, whatever its region, script and case", () => {
    const code = (...wishes: string[]): string => chooseLanguage(wishes).code;
    expect(code("xx", "pt-BR", "de")).to.equal("pt");
    expect(code("DE-at")).to.equal("de");
    expect([code("zh-CN"), code("zh-TW"), code("zh-Hant-HK"), code("zh")]).to.deep.equal([
      "zh",
      "zh",
      "zh",
      "zh",
    ]);
    for (const wishes of [[], ["*"], ["xx"], ["constructor"], ["__proto__"], [""]])
      expect(chooseLanguage(wishes).code).to.equal("en");
    expect(
      [chooseLanguage(["ar-EG"]), chooseLanguage(["fa"])].map(({ direction }) => direction),
    ).to.deep.equal(["rtl", "rtl"]);
    expect(chooseLanguage(["zh-TW"]).tag).to.equal("zh-Hans");
  });

  it("write amounts exactly, with the digits of wallets", () => {
    expect(chooseLanguage(["de"]).sats(2_100_000_000_000_000n)).to.equal("2.100.000.000.000.000 sats");
    expect(chooseLanguage(["ar"]).sats(1_234n)).to.match(/^1[,.٬]234 sats$/);
    expect(chooseLanguage(["en"]).btc(1n)).to.equal("0.00000001 BTC");
    expect(chooseLanguage(["en"]).fiat("90071992547409931.27", "EUR")).to.equal("€90,071,992,547,409,931.27");
    expect(chooseLanguage(["en"]).fiat("1250", "JPY")).to.equal("¥1,250");
  });

  for (const { code } of LANGUAGES)
    it(`${code}: uses only the digits 0 to 9 in amounts and times, so that they can be compared`, () => {
      const language = chooseLanguage([code]);
      const amount = `${language.sats(1_234_567n)} ${language.fiat("1234.50", "EUR")}`;
      const time = language.time(new Date("2026-11-21T14:05:06Z"));
      for (const text of [amount, language.btc(1_234_567n), time]) {
        expect(text).to.match(/[0-9]/);
        expect(
          text.match(/\p{Nd}/gu)?.filter((digit) => !/[0-9]/.test(digit)),
          text,
        ).to.deep.equal([]);
      }
      expect(amount.replace(/[^0-9]/g, "")).to.equal("1234567123450");
      expect(time, "names its zone").to.match(/ UTC$/);
    });
});
