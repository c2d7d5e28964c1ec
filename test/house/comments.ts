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

/** The comments of one source, each in one line, without what they quote as code. */
export function commentsOf(name: string, source: string): string[] {
  const found = name.endsWith(".sh")
    ? source.matchAll(SHELL_COMMENT)
    : withoutLiterals(name, source).matchAll(SCRIPT_COMMENT);
  return [...found]
    .map(([comment]) => comment.replaceAll(MARKS, "").replaceAll(CODE, "").replaceAll(/\s+/g, " ").trim())
    .filter((comment) => comment !== "");
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
