import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");
const CONFIG = path.join(ROOT, ".dependency-cruiser.cjs");

interface Rule {
  name: string;
}
interface Cruise {
  summary: { violations: { rule: Rule; from: string; to: string }[]; totalCruised: number };
}

const RULES = (require("../../.dependency-cruiser.cjs") as { forbidden: Rule[] }).forbidden.map(
  ({ name }) => name,
);

// Installed packages whose import is a violation somewhere; written as if they were in node_modules.
const PACKAGES = RULES.filter((name) => name.startsWith("package-") && name !== "package-has-a-home").map(
  (name) => name.slice("package-".length),
);

/** The ordered folders of commands/ and api/, from the lowest. */
const ordered = (folder: string): string[] =>
  RULES.flatMap((name) => new RegExp(`^${folder}-(.+)-imports-only-folders-below$`).exec(name)?.[1] ?? []);
const ORDERED = { commands: ordered("commands"), api: ordered("api") };
const FOLDERS = Object.entries(ORDERED).flatMap(([folder, names]) =>
  names.map((name, at) => ({ folder, name, below: names[at - 1], above: names[at + 1] })),
);

/** Each rule with a file that breaks it (path and code) and what it imports. */
const VIOLATIONS: Record<string, [file: string, code: string]> = {
  "domain-imports-only-itself": ["domain/a.ts", `import { row } from "../entities/row"; row();`],
  "config-imports-only-domain": ["config/a.ts", `import { row } from "../entities/row"; row();`],
  "entities-imports-only-domain": [
    "entities/a.ts",
    `import { command } from "../commands/command"; command();`,
  ],
  "database-imports-only-domain-entities": [
    "database/a.ts",
    `import { command } from "../commands/command"; command();`,
  ],
  "statements-are-written-in-queries": [
    "commands/f.ts",
    `import { statement } from "../database/statement"; statement();`,
  ],
  "migrations-stand-alone": [
    "database/migrations/a.ts",
    `import { prepared } from "../prepared"; prepared();`,
  ],
  "nobody-imports-migrations": [
    "scripts/b.ts",
    `import { first } from "../database/migrations/first"; first();`,
  ],
  ...Object.fromEntries(
    FOLDERS.map(({ folder, name, above }): [string, [string, string]] => [
      `${folder}-${name}-imports-only-folders-below`,
      [`${folder}/${name}/up.ts`, `import { inner } from "../${above ?? "unlisted"}/inner"; inner();`],
    ]),
  ),
  "commands-beside-the-areas-import-none": [
    "commands/h.ts",
    `import { inner } from "./${ORDERED.commands[0]}/inner"; inner();`,
  ],
  "commands-imports-only-domain-entities-database": [
    "commands/a.ts",
    `import { adapter } from "../adapters/adapter"; adapter();`,
  ],
  "adapters-imports-only-domain-entities-database-config": [
    "adapters/a.ts",
    `import type { Door } from "../api/door"; export type A = Door;`,
  ],
  // What stands beside the folders of api/ is above them.
  "api-dashboard-imports-only-folders-below": [
    "api/dashboard/to-door.ts",
    `import { door } from "../door"; door();`,
  ],
  "api-imports-only-domain-entities-database-commands-adapters-config": [
    "api/a.ts",
    `import { worker } from "../workers/worker"; worker();`,
  ],
  "workers-imports-only-domain-entities-database-commands-adapters-config": [
    "workers/a.ts",
    `import { door } from "../api/door"; door();`,
  ],
  "scripts-imports-only-domain-entities-database-commands-adapters-config": [
    "scripts/a.ts",
    `const lazily = () => import("../workers/worker"); lazily();`,
  ],
  "clients-imports-only-itself": ["clients/a.ts", `import { row } from "../entities/row"; row();`],
  "web-imports-only-itself": ["web/a.ts", `import { row } from "../entities/row"; row();`],
  "web-sees-only-types-of-schemas": [
    "web/b.tsx",
    `import { schema } from "../api/things/thing-answer"; export const B = () => <p>{schema()}</p>;`,
  ],
  "adapters-see-only-types-of-commands": [
    "adapters/b.ts",
    `import { command } from "../commands/command"; command();`,
  ],
  "package-has-a-home": ["adapters/c.ts", `import { gadget } from "gadget"; gadget();`],
  "domain-touches-nothing-outside": [
    "domain/c.ts",
    `import { setTimeout } from "node:timers/promises"; setTimeout(1);`,
  ],
  "commands-touch-nothing-outside": [
    "commands/c.ts",
    `import { readFileSync } from "node:fs"; readFileSync("x");`,
  ],
  "no-test-code-in-the-product": ["commands/d.ts", `import { factory } from "../test/factory"; factory();`],
  "no-development-package-in-the-product": ["api/d.ts", `import { toolkit } from "toolkit"; toolkit();`],
  "no-import-cycle": [
    "domain/circle-one.ts",
    `import type { Two } from "./circle-two"; export type One = Two;`,
  ],
  "no-unknown-import": ["domain/e.ts", `import { nothing } from "./nowhere"; nothing();`],
  ...Object.fromEntries(
    PACKAGES.map((name): [string, [string, string]] => [
      `package-${name}`,
      [`clients/${name.replace(/\W/g, "-")}.ts`, `import * as it from "${name}"; it;`],
    ]),
  ),
};

/** Files that break nothing: what is allowed must stay allowed. */
const ALLOWED: Record<string, string> = {
  "entities/row.ts": `import { pure } from "../domain/pure"; export const row = () => pure();`,
  "database/statement.ts": `import { row } from "../entities/row"; import type { EntityManager } from "typeorm"; export const statement = (m: EntityManager) => row() && m;`,
  "domain/pure.ts": `import { createHash } from "node:crypto"; export const pure = () => createHash("sha256");`,
  "domain/circle-two.ts": `import type { One } from "./circle-one"; export type Two = One;`,
  "commands/command.ts": `import type { statement } from "../database/statement"; import { prepared } from "../database/prepared"; import { row } from "../entities/row"; import type { EntityManager } from "typeorm"; export const command = (m: EntityManager): typeof statement | null => m && row() && prepared() && null;`,
  "commands/server/queries.ts": `import { statement } from "../../database/statement"; export const query = () => statement;`,
  "commands/installation/metrics-queries.ts": `import { statement } from "../../database/statement"; export const query = () => [statement];`,
  "adapters/adapter.ts": `import type { command } from "../commands/command"; export const adapter = (): typeof command | null => null;`,
  "adapters/queues/queue.ts": `import * as bullmq from "bullmq"; import IORedis from "ioredis"; export const queue = [bullmq, IORedis];`,
  "api/door.ts": `import { command } from "../commands/command"; import { adapter } from "../adapters/adapter"; import Koa from "koa"; export const door = () => [command, adapter, Koa]; export type Door = string;`,
  "commands/unlisted/inner.ts": `export const inner = () => 1;`,
  "api/unlisted/inner.ts": `export const inner = () => 1;`,
  ...Object.fromEntries(
    FOLDERS.flatMap(({ folder, name, below }) => [
      [`${folder}/${name}/inner.ts`, `export const inner = () => 1;`],
      [`${folder}/${name}/own.ts`, `export const own = () => 1;`],
      [
        `${folder}/${name}/down.ts`,
        `import { own } from "./own"; own();${below === undefined ? "" : ` import { inner } from "../${below}/inner"; inner();`}`,
      ],
    ]),
  ),
  "database/prepared.ts": `import { row } from "../entities/row"; export const prepared = () => row();`,
  "database/migrations/first.ts": `import type { QueryRunner } from "typeorm"; export const first = (r?: QueryRunner) => r;`,
  "api/things/thing-answer.ts": `export const schema = () => 1;`,
  "web/page.tsx": `import type { schema } from "../api/things/thing-answer"; import { useState } from "react"; export const Page = () => <p>{useState<typeof schema | null>(null)[0] === null}</p>;`,
  "workers/worker.ts": `import { command } from "../commands/command"; export const worker = () => command;`,
  "test/factory.ts": `import { door } from "../api/door"; import { worker } from "../workers/worker"; export const factory = () => [door, worker];`,
};

function write(dir: string, file: string, text: string): void {
  const target = path.join(dir, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

function writeHouse(dir: string): void {
  copyFileSync(CONFIG, path.join(dir, ".dependency-cruiser.cjs"));
  copyFileSync(path.join(ROOT, "tsconfig.json"), path.join(dir, "tsconfig.json"));
  const dependencies = Object.fromEntries([...PACKAGES, "gadget"].map((name) => [name, "1.0.0"]));
  write(dir, "package.json", JSON.stringify({ dependencies, devDependencies: { toolkit: "1.0.0" } }));
  for (const name of [...PACKAGES, "gadget", "toolkit"]) {
    write(
      dir,
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: "1.0.0", main: "index.js" }),
    );
    write(dir, `node_modules/${name}/index.js`, "");
  }
  for (const [file, code] of Object.entries(ALLOWED)) write(dir, file, code);
  for (const [file, code] of Object.values(VIOLATIONS)) write(dir, file, code);
}

function cruise(dir: string): Cruise["summary"] {
  const program = path.join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const folders = [
    "api",
    "workers",
    "scripts",
    "commands",
    "adapters",
    "config",
    "database",
    "entities",
    "domain",
    "clients",
    "web",
  ];
  const json = execFileSync(process.execPath, [program, "--output-type", "json", ...folders, "test"], {
    cwd: dir,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return (JSON.parse(json) as Cruise).summary;
}

describe("the import rules", function () {
  this.timeout(60_000);
  let dir: string;
  let broken: Map<string, Set<string>>;
  before(() => {
    mkdirSync(path.join(ROOT, ".test"), { recursive: true });
    dir = mkdtempSync(path.join(ROOT, ".test/walls-"));
    writeHouse(dir);
    broken = new Map();
    for (const { rule, from } of cruise(dir).violations)
      broken.set(rule.name, (broken.get(rule.name) ?? new Set()).add(from));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it("have a violation here for each of them", () => {
    expect(Object.keys(VIOLATIONS).sort()).to.deep.equal([...RULES].sort());
  });

  for (const name of RULES)
    it(`catch ${name}`, () => {
      const [file] = VIOLATIONS[name] ?? [];
      expect([...(broken.get(name) ?? [])]).to.include(file);
    });

  it("allow everything else", () => {
    const allowed = new Set(Object.keys(ALLOWED));
    allowed.delete("domain/circle-two.ts"); // the other half of the cycle
    const accused = [...broken].flatMap(([name, files]) => [...files].map((file) => [name, file] as const));
    expect(accused.filter(([, file]) => allowed.has(file))).to.deep.equal([]);
  });
});
