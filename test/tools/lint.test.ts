import { expect } from "chai";
import { ESLint } from "eslint";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");

const lines = (count: number): string => "export {};\n" + "// one more line\n".repeat(count - 1);
const functionOf = (count: number): string =>
  `export function long(): number {\n${"  // one more line\n".repeat(count - 3)}  return 1;\n}\n`;

const QUERY = `interface Manager {\n  query(sql: string): Promise<unknown>;\n}\nexport const run = (manager: Manager): Promise<unknown> => manager.query("VACUUM");`;

/** What a piece of code breaks, where it would stand, and the code. */
const BROKEN: [says: string, rule: string, file: string, code: string][] = [
  ["a file of 301 lines", "max-lines", "domain/long.ts", lines(301)],
  ["a function of 61 lines", "max-lines-per-function", "commands/long.ts", functionOf(61)],
  [
    "the environment read outside config/",
    "no-restricted-syntax",
    "adapters/env.ts",
    "export const port = process.env.PORT;",
  ],
  [
    "the environment read through node:process",
    "no-restricted-imports",
    "adapters/env-import.ts",
    `import { env } from "node:process";\nexport const port = env.PORT;`,
  ],
  ["a default export", "no-restricted-syntax", "api/default.ts", "const a = 1;\nexport default a;"],
  [
    "a default export by another name",
    "no-restricted-syntax",
    "api/default-as.ts",
    "const a = 1;\nexport { a as default };",
  ],
  [
    "a promise nobody waits for",
    "@typescript-eslint/no-floating-promises",
    "workers/floating.ts",
    "export function start(): void {\n  Promise.reject(new Error());\n}",
  ],
  [
    "a promise where a condition is expected",
    "@typescript-eslint/no-misused-promises",
    "workers/misused.ts",
    "export const check = (ok: Promise<boolean>): number => (ok ? 1 : 2);",
  ],
  [
    "a switch that forgets a case",
    "@typescript-eslint/switch-exhaustiveness-check",
    "domain/switch.ts",
    `export function depth(state: "new" | "old"): number {\n  switch (state) {\n    case "new":\n      return 0;\n  }\n  return 1;\n}`,
  ],
  [
    "any",
    "@typescript-eslint/no-explicit-any",
    "domain/any.ts",
    "export const id = (value: any): unknown => value;",
  ],
  [
    "a type imported as a value",
    "@typescript-eslint/consistent-type-imports",
    "domain/type-import.ts",
    `import { Server } from "node:net";\nexport type Own = Server;`,
  ],
  [
    "an import of inline types alone",
    "@typescript-eslint/no-import-type-side-effects",
    "domain/inline-type.ts",
    `import { type Server } from "node:net";\nexport type Own = Server;`,
  ],
  ["console in a worker", "no-console", "workers/console.ts", `console.log("here");\nexport {};`],
  [
    "the clock in domain/",
    "no-restricted-syntax",
    "domain/clock.ts",
    "export const today = (): Date => new Date();",
  ],
  [
    "Date.now in commands/",
    "no-restricted-syntax",
    "commands/now.ts",
    "export const now = (): number => Date.now();",
  ],
  [
    "Math.random in domain/",
    "no-restricted-syntax",
    "domain/chance.ts",
    "export const dice = (): number => Math.random();",
  ],
  [
    "randomUUID in commands/",
    "no-restricted-syntax",
    "commands/uuid.ts",
    `import { randomUUID } from "node:crypto";\nexport const id = (): string => randomUUID();`,
  ],
  [
    "the global crypto's chance in commands/",
    "no-restricted-syntax",
    "commands/web-uuid.ts",
    "export const id = (): string => crypto.randomUUID();",
  ],
  [
    "the network in commands/",
    "no-restricted-globals",
    "commands/network.ts",
    `export const get = (): unknown => fetch("https://example.com");`,
  ],
  [
    "a timer in domain/",
    "no-restricted-globals",
    "domain/timer.ts",
    "export const later = (f: () => void): unknown => setTimeout(f, 1);",
  ],
  [
    "an async function in domain/",
    "no-restricted-syntax",
    "domain/async.ts",
    "export const later = async () => 1;",
  ],
  [
    "a promise in domain/",
    "no-restricted-syntax",
    "domain/promise.ts",
    "export const wait = <T>(work: Promise<T>): unknown => work;",
  ],
  [
    "a promise made in domain/",
    "no-restricted-syntax",
    "domain/resolved.ts",
    "export const now = (): unknown => Promise.resolve(1);",
  ],
  [
    "a module that domain/ loads later",
    "no-restricted-syntax",
    "domain/lazy.ts",
    `export const load = (): unknown => import("./clock");`,
  ],
  [
    "Node's globals in a page",
    "no-restricted-globals",
    "web/node.ts",
    "export const version = (): string => process.version;",
  ],
  [
    "a hook that is not called each time",
    "react-hooks/rules-of-hooks",
    "web/hook.ts",
    `import { useState } from "react";\nexport function useIt(wanted: boolean): unknown {\n  return wanted ? useState(0) : null;\n}`,
  ],
  ["a long file of pages", "max-lines", "web/long.ts", lines(301)],
  [
    "another connection inside a transaction",
    "no-restricted-syntax",
    "commands/transaction.ts",
    "interface Db {\n  transaction(f: (m: unknown) => Promise<void>): Promise<void>;\n  find(): Promise<void>;\n}\nexport const run = (ctx: { db: Db }): Promise<void> =>\n  ctx.db.transaction(async () => {\n    await ctx.db.find();\n  });",
  ],
  ...["api", "workers", "commands/stores", "adapters", "entities", "config", "scripts/cli"].map(
    (folder): (typeof BROKEN)[number] => [
      `SQL that is run as it comes in ${folder}/`,
      "no-restricted-syntax",
      `${folder}/query.ts`,
      QUERY,
    ],
  ),
  ["SQL that is run as it comes in queries.ts", "no-restricted-syntax", "commands/stores/queries.ts", QUERY],
  [
    "a subquery outside queries.ts",
    "no-restricted-syntax",
    "commands/stores/subquery.ts",
    `export const OF_STORE = "id IN (SELECT id FROM webhooks WHERE store_id = :storeId)";`,
  ],
  [
    "the end of a statement outside queries.ts",
    "no-restricted-syntax",
    "commands/stores/rest.ts",
    "export const ofKey = (key: string): string => `ON CONFLICT (${key}) DO NOTHING RETURNING id`;",
  ],
  [
    "SQL that is run by a method's name",
    "no-restricted-syntax",
    "commands/stores/by-name.ts",
    QUERY.replace(".query", '["query"]'),
  ],
];

/** What looks like it and is allowed. */
const SOUND: [says: string, file: string, code: string][] = [
  ["a file of 300 lines", "domain/long-enough.ts", lines(300)],
  ["a function of 60 lines", "commands/long-enough.ts", functionOf(60)],
  ["long tests", "test/long.test.ts", lines(400)],
  ["the environment read in config/", "config/env.ts", "export const port = process.env.PORT;"],
  [
    "a date made of a number in domain/",
    "domain/date.ts",
    "export const at = (ms: number): Date => new Date(ms);",
  ],
  ["the clock in an adapter", "adapters/clock.ts", "export const now = (): number => Date.now();"],
  [
    "chance from the context",
    "commands/chance.ts",
    "export const seed = (ctx: { randomBytes(n: number): Buffer }): Buffer => ctx.randomBytes(32);",
  ],
  [
    "a promise in commands/",
    "commands/promise.ts",
    "export const later = async (): Promise<number> => Promise.resolve(1);",
  ],
  ["SQL that is run as it comes in database/", "database/query.ts", QUERY],
  ["a connection that is not TypeORM's", "adapters/notifications.ts", QUERY],
  ["SQL text in queries.ts", "commands/webhooks/queries.ts", `export const ALL = "SELECT id FROM webhooks";`],
  [
    "SQL text in a second file of queries",
    "commands/webhooks/feed-queries.ts",
    `export const ALL = "SELECT id FROM webhooks";`,
  ],
  [
    "a condition of a query builder",
    "commands/webhooks/condition.ts",
    `export const CONDITION = "webhook.storeId = :storeId";`,
  ],
  ["console in a script", "scripts/console.ts", `console.log("here");\nexport {};`],
];

describe("the lint rules", function () {
  this.timeout(60_000);
  let dir: string;
  const said = new Map<string, string[]>();
  before(async () => {
    mkdirSync(path.join(ROOT, ".test"), { recursive: true });
    dir = mkdtempSync(path.join(ROOT, ".test/lint-"));
    const tsconfig = { extends: path.join(ROOT, "tsconfig.json"), include: ["**/*.ts"] };
    writeFileSync(path.join(dir, "tsconfig.json"), JSON.stringify(tsconfig));
    const all = [
      ...BROKEN.map(([, , file, code]) => [file, code] as const),
      ...SOUND.map(([, file, code]) => [file, code] as const),
    ];
    for (const [file, code] of all) {
      mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
      writeFileSync(path.join(dir, file), code);
    }
    const eslint = new ESLint({ cwd: dir, overrideConfigFile: path.join(ROOT, "eslint.config.mjs") });
    for (const { filePath, messages } of await eslint.lintFiles(["."]))
      said.set(
        path.relative(dir, filePath),
        messages.map(({ ruleId, message }) => ruleId ?? message),
      );
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  for (const [says, rule, file] of BROKEN)
    it(`refuse ${says}`, () => {
      expect(said.get(file)).to.deep.equal([rule]);
    });
  for (const [says, file] of SOUND)
    it(`allow ${says}`, () => {
      expect(said.get(file)).to.deep.equal([]);
    });
});
