import { expect } from "chai";
import { NAMED, refusedInComments, SOURCES, wordyComments } from "./comments";
import { dashboardTexts, declaredNames, listMessages, read } from "./texts";
import { documentSentences, refusedWords, testTitles } from "./words";

/** Exact texts in which a refused word has its ordinary sense, or is a name that stays. */
const ORDINARY = [
  // A label's value of a metric.
  "Delay of invoices that became Processing in the last 15 min: from the node seeing the payment to the event (recorded), and from the event to its first attempt (told).",
];

/** Fields of the API, labels of metrics, and columns. */
const KEPT_NAMES = ["rail", "rails", "singleton", "told At"];

const refused = (texts: readonly string[]): string[] =>
  texts.filter((text) => !ORDINARY.includes(text)).flatMap(refusedWords);

describe("the glossary", () => {
  it("is followed by every message", () => {
    const { logs, texts } = listMessages();
    expect(refused([...logs, ...texts])).to.deep.equal([]);
  });

  it("is followed by the dashboard", () => {
    const texts = dashboardTexts();
    expect(texts.length).to.be.greaterThan(300);
    expect(refused(texts)).to.deep.equal([]);
  });

  it("is followed by every sentence in the documents", () => {
    expect(documentSentences().length).to.be.greaterThan(1_000);
    expect(refused(documentSentences())).to.deep.equal([]);
  });

  it("is followed by every test title", () => {
    expect(testTitles().length).to.be.greaterThan(1_500);
    expect(refused(testTitles())).to.deep.equal([]);
  });

  it("is followed by every comment", () => {
    expect(SOURCES.length).to.be.greaterThan(1_000);
    expect(refusedInComments()).to.deep.equal([]);
  });

  it("is followed by every name of a script, and of what it declares", () => {
    const names = NAMED.flatMap((file) => [file.replaceAll("-", " "), ...declaredNames(file, read(file))]);
    expect(refused(names.filter((name) => !KEPT_NAMES.includes(name)))).to.deep.equal([]);
    const source =
      "const { toldAt, a: tellIt } = GAPS_TOLD; import { Told } from 'b'; a.told = b; class A { #told }";
    expect(declaredNames("a.ts", source)).to.deep.equal(["told At", "tell It", "A", "told"]);
  });

  it("is not replaced by pronouns, or by more than 30 words, in a comment", () => {
    expect(NAMED.flatMap((file) => wordyComments(file, read(file)))).to.deep.equal([]);
    const long = "word ".repeat(31);
    const source = `/** One that waits. */\nlet a = 1; // What, \`told\`\n/** ${long}*/\nexport function f() {}\n// ${long}`;
    expect(wordyComments("a.ts", source)).to.deep.equal([
      "a.ts: One that waits.",
      "a.ts: What,",
      `a.ts: ${long.trim()}`,
    ]);
  });
});
