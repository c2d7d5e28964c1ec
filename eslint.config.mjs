import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// What imports what is dependency-cruiser's business (.dependency-cruiser.cjs). This is about what a line does.
// Every rule is proven on a deliberate violation in test/tools/lint.test.ts.

const SOURCES = [
  "api",
  "workers",
  "commands",
  "domain",
  "database",
  "entities",
  "adapters",
  "config",
  "scripts",
  "clients",
  "web",
].map((folder) => `${folder}/**/*.{ts,tsx}`);
const PURE = ["domain/**/*.ts", "commands/**/*.ts"];
/** Where SQL is not run as it comes; beside commands/, which has a list of its own. */
const ASK_BY_STATEMENTS = ["api/**/*.ts", "workers/**/*.ts", "adapters/**/*.ts", "entities/**/*.ts"];
/** Who may read the process environment: config/, what starts or tests processes, and a command. */
const READS_ENVIRONMENT = [
  "config/**",
  "scripts/**",
  "test/**",
  "ecosystem.config.js",
  "clients/typescript/src/cli.ts",
];

/** What plain JavaScript files use (TypeScript knows its own). */
const NODE_GLOBALS = [
  "AbortSignal",
  "__dirname",
  "__filename",
  "Buffer",
  "console",
  "fetch",
  "module",
  "performance",
  "process",
  "require",
  "setTimeout",
];

const environment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: "Only config/ reads the environment; take the setting as an argument.",
};
const globalQuery = {
  selector:
    "CallExpression[callee.property.name='transaction'] > ArrowFunctionExpression MemberExpression[property.name='db'], CallExpression[callee.name='inTransaction'] > ArrowFunctionExpression Identifier[name='ctx']",
  message:
    "Inside a transaction use only its Tx: another connection sees other rows and can deadlock, and a node or a queue would delay whoever waits for the locks.",
};
const query = {
  selector: "CallExpression[callee.property.name='query'], CallExpression[callee.property.value='query']",
  message:
    "SQL that is written by hand is a statement of commands/<area>/queries.ts or of database/; plain reads and writes go through the entity manager.",
};
const SQL = "/\\b(SELECT|INSERT INTO|DELETE FROM|EXISTS|WHERE|RETURNING|FOR UPDATE)\\b/";
const sqlText = {
  selector: `Literal[value=${SQL}], TemplateElement[value.raw=${SQL}]`,
  message: "SQL that is written by hand stands in commands/<area>/queries.ts, or <topic>-queries.ts.",
};
const defaultExport = {
  selector: "ExportDefaultDeclaration, ExportSpecifier[exported.name='default'], TSExportAssignment",
  message: "Named exports only: a thing has one name everywhere.",
};
const clockAndChance = [
  {
    selector:
      "NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.name='Date'], MemberExpression[object.name='Date'][property.name='now'], MemberExpression[object.name='performance'][property.name='now']",
    message: "Time comes as an argument, or from the database's clock (ctx.now).",
  },
  {
    selector:
      "MemberExpression[object.name='Math'][property.name='random'], MemberExpression[object.name='crypto'][property.name=/^(random|getRandom)/], ImportSpecifier[imported.name=/^(randomBytes|randomInt|randomUUID|randomFill|getRandomValues|webcrypto)/]",
    message: "Chance comes through the context (ctx.newId, ctx.randomBytes).",
  },
];
const promises = {
  selector:
    ":function[async=true], AwaitExpression, ForOfStatement[await=true], ImportExpression, Identifier[name=/^Promise(Like)?$/]",
  message: "domain/ waits for nothing: what has to be waited for comes as an argument.",
};

export default defineConfig(
  globalIgnores([
    "dist/",
    "clients/typescript/dist/",
    "clients/typescript/src/generated.ts",
    ".demo/",
    ".packages/",
    ".test/",
    ".bench/",
  ]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/*.{cjs,js,mjs}"],
    languageOptions: { globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, "readonly"])) },
  },
  {
    files: ["**/*.{cjs,js}"],
    languageOptions: { sourceType: "commonjs" },
  },
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: true } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-import-type-side-effects": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/require-await": "off", // an async function without await still turns a throw into a rejection
      "@typescript-eslint/no-require-imports": ["error", { allow: ["\\.cjs$"] }],
      "@typescript-eslint/unbound-method": "off", // our ports are closures: no `this` to lose
      "@typescript-eslint/no-unused-vars": "off", // the compiler says it (noUnusedLocals, noUnusedParameters)
      eqeqeq: "error",
      "no-console": "error",
      "no-restricted-imports": [
        "error",
        { name: "node:process", message: "Use the global `process`." },
        { name: "process", message: "Use the global `process`." },
      ],
      "no-restricted-syntax": ["error", defaultExport, globalQuery, environment],
    },
  },
  {
    files: READS_ENVIRONMENT.map((path) => (path.endsWith("**") ? `${path}/*.ts` : path)),
    rules: { "no-restricted-syntax": ["error", defaultExport, globalQuery] },
  },
  {
    files: ASK_BY_STATEMENTS,
    rules: { "no-restricted-syntax": ["error", defaultExport, globalQuery, environment, query] },
  },
  {
    files: ["config/**/*.ts", "scripts/cli/**/*.ts"],
    rules: { "no-restricted-syntax": ["error", defaultExport, globalQuery, query] },
  },
  {
    files: ["adapters/notifications.ts"], // speaks LISTEN, on a connection of its own that is not TypeORM's
    rules: { "no-restricted-syntax": ["error", defaultExport, globalQuery, environment] },
  },
  {
    files: PURE,
    rules: {
      "no-restricted-syntax": ["error", defaultExport, globalQuery, environment, ...clockAndChance, query],
      "no-restricted-globals": ["error", "fetch"],
    },
  },
  {
    files: ["adapters/**/*.ts", "api/**/*.ts", "workers/**/*.ts"],
    rules: {
      "no-restricted-globals": [
        "error",
        { name: "fetch", message: "Use adapters/http/send-request: fetch costs 15 MB, and 1 ms each." },
      ],
    },
  },
  {
    files: ["commands/**/*.ts"],
    ignores: ["commands/*/*queries.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        defaultExport,
        globalQuery,
        environment,
        ...clockAndChance,
        query,
        sqlText,
      ],
    },
  },
  {
    files: ["domain/**/*.ts"],
    rules: {
      "no-restricted-syntax": ["error", defaultExport, globalQuery, environment, ...clockAndChance, promises],
      "no-restricted-globals": ["error", "fetch", "setTimeout", "setInterval", "setImmediate"],
    },
  },
  {
    files: [...SOURCES, "**/*.{cjs,js,mjs}"],
    rules: { "max-lines": ["error", 300], "max-lines-per-function": ["error", 60] },
  },
  {
    files: ["web/**/*.{ts,tsx}"],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      "no-restricted-globals": ["error", "process", "Buffer", "require", "__dirname"], // there are none in a browser
      "@typescript-eslint/only-throw-error": [
        "error",
        { allow: [{ from: "package", package: "@tanstack/router-core", name: "Redirect" }] },
      ],
    },
  },
  {
    files: ["scripts/**/*.ts"],
    rules: { "no-console": "off" }, // a script's reader is a person at a terminal
  },
  {
    files: ["test/**/*.ts"],
    rules: { "@typescript-eslint/no-unused-expressions": "off" }, // chai: expect(x).to.be.true
  },
);
