import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

export const ROOT = path.join(__dirname, "../..");

const SERVER = ["adapters", "api", "commands", "config", "database", "domain", "scripts/cli", "workers"];
const LEVELS = new Set(["debug", "info", "warn", "error"]);
/** Their arguments are read by people, whether or not they are sentences. */
const ERRORS = new Set(["DomainError", "NodeUnavailableError", "invalidField"]);
/** Texts of the API reference, which are read on its pages. */
const REFERENCE = new Set(["description", "summary", "examples", "example"]);

/** Files of the working tree, deleted ones left out. */
export function filesBelow(...folders: string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...folders], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const deleted = execFileSync("git", ["ls-files", "--deleted", ...folders], { cwd: ROOT, encoding: "utf8" });
  const missing = new Set(deleted.split("\n"));
  return listed.split("\n").filter((file) => file !== "" && !missing.has(file));
}

export const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

function parse(name: string, source: string): ts.SourceFile {
  const kind = name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, kind);
}

/** A literal's text with `{…}` for each value in it; null for anything else. */
function literal(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text.replace(/\s+/g, " ").trim();
  if (!ts.isTemplateExpression(node)) return null;
  const spans = node.templateSpans.map((span) => `{…}${span.literal.text}`);
  return [node.head.text, ...spans].join("").replace(/\s+/g, " ").trim();
}

/** The literals that an expression may come to. What is computed elsewhere stands as `<its source>`. */
function outcomes(node: ts.Expression): string[] {
  if (ts.isConditionalExpression(node)) return [...outcomes(node.whenTrue), ...outcomes(node.whenFalse)];
  return [literal(node) ?? `<${node.getText()}>`];
}

/** A node and all below it, without the tokens between them. */
function nodesOf(node: ts.Node, found: ts.Node[] = []): ts.Node[] {
  found.push(node);
  ts.forEachChild(node, (child) => void nodesOf(child, found));
  return found;
}

/** The names that a script declares, as words: `paidAt` is "paid At". */
export function declaredNames(name: string, source: string): string[] {
  return nodesOf(parse(name, source)).flatMap((node) => {
    if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return [];
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) || ts.isImportSpecifier(parent)) return [];
    const declares = "name" in parent && parent.name === node;
    return declares ? [node.text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[_#$]+/g, " ").trim()] : [];
  });
}

const inReference = (node: ts.Node): boolean =>
  ts.findAncestor(node, (at) => ts.isPropertyAssignment(at) && REFERENCE.has(at.name.getText())) !==
  undefined;

/** Begins like a sentence and ends like one. */
const isSentence = (text: string): boolean => /^(?:[A-Z]|\{…\})\S*\s.*[.:]$/.test(text);

export interface Messages {
  /** Of log lines. */
  logs: string[];
  /** Refusals, alerts, health, doctor and the command line's output. */
  texts: string[];
}

/** The messages of one source. */
export function messagesOf(name: string, source: string): Messages {
  const logs: string[] = [];
  const texts: string[] = [];
  for (const node of nodesOf(parse(name, source))) {
    if (ts.isCallExpression(node) && isLog(node)) logs.push(...outcomes(node.arguments[1] as ts.Expression));
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      if (!ERRORS.has(node.expression.getText())) continue;
      for (const argument of node.arguments ?? [])
        texts.push(...outcomes(argument).filter((text) => text.includes(" ") && !text.startsWith("<")));
      continue;
    }
    const text = literal(node);
    if (text === null || inReference(node)) continue;
    const isTitle = name.endsWith("present-problem.ts") && text.includes(" ") && !text.startsWith("urn:");
    if (isSentence(text) || isTitle) texts.push(text);
  }
  return { logs, texts };
}

function isLog(call: ts.CallExpression): boolean {
  const { expression: callee, arguments: given } = call;
  if (given.length !== 2) return false;
  if (ts.isPropertyAccessExpression(callee))
    return LEVELS.has(callee.name.text) && /log$/i.test(callee.expression.getText());
  return ts.isElementAccessExpression(callee) && /log$/i.test(callee.expression.getText());
}

const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();

/** All messages of the server and its command line. */
export function listMessages(): Messages {
  const found = filesBelow(
    ...SERVER.map((folder) => `${folder}/**/*.ts`),
    ...SERVER.map((folder) => `${folder}/*.ts`),
  )
    .filter((file) => !file.includes("/texts/") && !file.includes("/migrations/"))
    .map((file) => messagesOf(file, read(file)));
  return {
    logs: sorted(found.flatMap(({ logs }) => logs)),
    texts: sorted(found.flatMap(({ texts }) => texts)),
  };
}

/** What the dashboard shows: literals of several words, and the text between tags. */
export function dashboardTexts(): string[] {
  const found: string[] = [];
  for (const file of filesBelow("web/dashboard").filter((name) => /\.tsx?$/.test(name)))
    for (const node of nodesOf(parse(file, read(file)))) {
      const text = ts.isJsxText(node) ? node.text.replace(/\s+/g, " ").trim() : literal(node);
      if (text !== null && text.includes(" ")) found.push(text);
    }
  return sorted(found);
}
