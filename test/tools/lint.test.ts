import { expect } from "chai";
import { ESLint } from "eslint";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");

const QUERY = `interface Manager {\n  query(sql: string): Promise<unknown>;\n}\nexport const run = (manager: Manager): Promise<unknown> => manager.query("VACUUM");`;

/** What a piece of code breaks of our own rules, where it would stand, and the code. */
const BROKEN: [says: string, rule: string, file: string, code: string][] = [
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

describe("the lint rules", function () {
  this.timeout(60_000);
  let dir: string;
  const said = new Map<string, string[]>();
  before(async () => {
    mkdirSync(path.join(ROOT, ".test"), { recursive: true });
    dir = mkdtempSync(path.join(ROOT, ".test/lint-"));
    const tsconfig = { extends: path.join(ROOT, "tsconfig.json"), include: ["**/*.ts"] };
    writeFileSync(path.join(dir, "tsconfig.json"), JSON.stringify(tsconfig));
    for (const [, , file, code] of BROKEN) {
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
});
