import { filesBelow, read } from "./texts";

/** A word that the glossary refuses, and the word to use. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:tell|tells|told|telling)\b/i, "notify, send, report or say"],
  [/\bnews\b/i, "event"],
  [/\brails?\b/i, "payment method"],
  [/\bderivations?\b/i, "wallet"],
  [/\breceive chain\b/i, "external chain"],
  [/\b(?:gather|gathers|gathered|crowds?)\b/i, "batch"],
  [/\bin turns\b/i, "at most n at a time"],
  [
    /\b(?:look|looks|looked|looking) (?:at|through|for|whether)\b|\ba look\b(?!-)/i,
    "load, read, check, poll or scan",
  ],
  [/\b(?:tend|tends|tended)\b/i, "sync"],
  [/\b(?:doors?|strangers?|admits?|admitted)\b/i, "authenticate, anonymous"],
  [/\b(?:reign|singleton)\b/i, "leader, lease"],
  [/\bheld up\b/i, "held"],
  [/\btime ?line\b/i, "history"],
  [/\b(?:mend|mends|mended|mending)\b/i, "fix"],
];

/** Each refused word of a text, with the word to use. */
export function refusedWords(text: string): string[] {
  return REFUSED.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text);
    return found === null ? [] : [`"${found[0]}" (use ${instead}): ${text}`];
  });
}

/** Code blocks and code in a line. */
const CODE = /^```.*?^```$|`[^`\n]+`/gms;

/** The sentences of the documents, without their code. Decisions and the change log are history. */
export function documentSentences(): string[] {
  const files = [...filesBelow("docs"), ...filesBelow("README.md", "CONTRIBUTING.md", "SECURITY.md")];
  return files
    .filter((file) => file.endsWith(".md") && !file.startsWith("docs/adr/"))
    .filter((file) => file !== "docs/data-model.md") // made of the entities
    .flatMap((file) =>
      read(file)
        .replace(CODE, "")
        .split(/\n|(?<=[.:;?]) (?=\S)/),
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

const TITLE = /\b(?:it|describe|story|test)(?:\.\w+)?\(\s*(["`])(.+?)\1,/g;

export function testTitles(): string[] {
  return filesBelow("test")
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...read(file).matchAll(TITLE)].map(([, , title]) => title ?? ""));
}
