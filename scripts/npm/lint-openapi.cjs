// Lints the API's description, as it is printed from the source.

const { execFileSync } = require("node:child_process");
const { createConfig, lintFromString, formatProblems, getTotals } = require("@redocly/openapi-core");
const { ROOT } = require("./setup.cjs");

/** Beside the recommended ones; every warning counts as an error. */
const RULES = {
  "operation-4xx-response": "error",
  "no-invalid-schema-examples": "error",
  "no-invalid-media-type-examples": "error",
  "no-unused-components": "error",
  "operation-operationId-unique": "error",
};

async function problemsOf(source) {
  const config = await createConfig({ extends: ["recommended-strict"], rules: RULES });
  return lintFromString({ source, absoluteRef: "openapi.json", config });
}

async function main() {
  const source = execFileSync(process.execPath, ["--import", "tsx", "api/print-openapi.ts"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const problems = await problemsOf(source);
  const totals = getTotals(problems);
  if (problems.length > 0) formatProblems(problems, { format: "codeframe", totals, version: "" });
  process.exitCode = problems.length > 0 ? 1 : 0;
}

module.exports = { problemsOf };

if (require.main === module) void main();
