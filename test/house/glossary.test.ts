import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { dashboardTexts, listMessages } from "./texts";
import { documentSentences, refusedWords, testTitles } from "./words";

/** Exact texts in which a refused word has its ordinary sense, or is a name that stays. */
const ORDINARY = [
  // A label's value of a metric.
  "Of invoices that became Processing in the last 15 min: from the node seeing the payment to the event (recorded), and from the event to its first attempt (told).",
];
/** Sentences and titles older than this check. Lines are only removed: a new text uses the glossary's words. */
const OLDER = path.join(__dirname, "older-texts.txt");

const refused = (texts: readonly string[], known: readonly string[]): string[] =>
  texts.filter((text) => !known.includes(text)).flatMap(refusedWords);

describe("the glossary", () => {
  const older = readFileSync(OLDER, "utf8").split("\n");

  it("has the words of every message", () => {
    const { logs, texts } = listMessages();
    expect(refused([...logs, ...texts], ORDINARY)).to.deep.equal([]);
  });

  it("has the words of the dashboard", () => {
    const texts = dashboardTexts();
    expect(texts.length).to.be.greaterThan(300);
    expect(refused(texts, ORDINARY)).to.deep.equal([]);
  });

  it("has the words of every new sentence in the documents", () => {
    expect(documentSentences().length).to.be.greaterThan(1_000);
    expect(refused(documentSentences(), [...ORDINARY, ...older])).to.deep.equal([]);
  });

  it("has the words of every new test title", () => {
    expect(testTitles().length).to.be.greaterThan(1_500);
    expect(refused(testTitles(), [...ORDINARY, ...older])).to.deep.equal([]);
  });

  it("keeps no older text that is gone", () => {
    const texts = new Set([...documentSentences(), ...testTitles()]);
    expect(older.filter((text) => text !== "" && !texts.has(text))).to.deep.equal([]);
  });

  it("names the refused word and the one to use", () => {
    expect(refusedWords("Mend the endpoint")).to.deep.equal(['"Mend" (use fix): Mend the endpoint']);
    expect(refusedWords("a look at LND failed")).to.have.length(1);
    expect(refusedWords("lightning: poll failed, intend to retry; the trail is recommended")).to.deep.equal(
      [],
    );
  });
});
