import ts from "typescript";
import { filesBelow, read } from "./texts";
import { refusedWords } from "./words";

const isLiteral = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isRegularExpressionLiteral(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node) ||
  ts.isJsxText(node);

/** The source with each literal blanked, so that what looks like a comment is one. */
function withoutLiterals(name: string, source: string): string {
  const kind = name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, kind);
  const pieces: string[] = [];
  let end = 0;
  const visit = (node: ts.Node): void => {
    if (!isLiteral(node)) {
      ts.forEachChild(node, visit);
      return;
    }
    const start = node.getStart(file);
    pieces.push(source.slice(end, start), source.slice(start, node.end).replaceAll(/[^\n]/g, " "));
    end = node.end;
  };
  visit(file);
  return pieces.join("") + source.slice(end);
}

const SCRIPT_COMMENT = /\/\*.*?\*\/|(?:\/\/[^\n]*\n\s*)*\/\/[^\n]*/gs;
const SHELL_COMMENT = /(?:^[ \t]*|[ \t])#[^!\n][^\n]*/gm;
const MARKS = /^\s*(?:\/\*\*?|\/\/+|\*(?!\/)|#)|\*\/$/gm;
const CODE = /`[^`]*`/g;

/** In one line, without the marks and what it quotes as code. */
const plain = (comment: string): string =>
  comment.replaceAll(MARKS, "").replaceAll(CODE, "").replaceAll(/\s+/g, " ").trim();

export function commentsOf(name: string, source: string): string[] {
  const found = name.endsWith(".sh")
    ? source.matchAll(SHELL_COMMENT)
    : withoutLiterals(name, source).matchAll(SCRIPT_COMMENT);
  return [...found].map(([comment]) => plain(comment)).filter((comment) => comment !== "");
}

/** The noun belongs there. */
const RIDDLE = /^(?:One|Those|Of|What)\b/;
const WORDS_MAX = 30;
const WORD = /\p{L}[\p{L}\p{N}'’-]*/gu;
/** It has shapes, units, errors and sources to name. */
const EXPORTED_FUNCTION =
  /^\s*export (?:async )?(?:function|(?:abstract )?class|const \w+ = (?:async )?[(<])/;

/** Comments of a script that begin with a riddle, or are longer than a reason needs to be. */
export function wordyComments(name: string, source: string): string[] {
  const code = withoutLiterals(name, source);
  return [...code.matchAll(SCRIPT_COMMENT)].flatMap(({ 0: comment, index }) => {
    const text = plain(comment);
    const documents = comment.startsWith("/**") && EXPORTED_FUNCTION.test(code.slice(index + comment.length));
    const isLong = !documents && (text.match(WORD) ?? []).length > WORDS_MAX;
    return isLong || RIDDLE.test(text) ? [`${name}: ${text}`] : [];
  });
}

/** All files whose comments are read; generated ones have the words of what they are generated from. */
export const SOURCES: readonly string[] = filesBelow().filter(
  (file) => /\.(?:[cm]?[jt]sx?|sh)$/.test(file) && !file.endsWith("/generated.ts"),
);

/** Each refused word in a comment, after the file's name. Only files that contain such a word are parsed. */
export function refusedInComments(): string[] {
  return SOURCES.map((file) => ({ file, source: read(file) }))
    .filter(({ source }) => refusedWords(source).length > 0)
    .flatMap(({ file, source }) =>
      commentsOf(file, source).flatMap((comment) => refusedWords(comment).map((word) => `${file}: ${word}`)),
    );
}

const FOLDERS = /^(?:adapters|api|commands|config|database|domain|web)\//;

/** Scripts whose names have the glossary's words. A migration that was released keeps its own. */
export const NAMED = SOURCES.filter((file) => FOLDERS.test(file) && !file.startsWith("database/migrations/"));
