import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import ts from "typescript";

const ROOT = path.join(__dirname, "../..");
const OUT = path.join(ROOT, ".test", "dist");

let built = false;

interface BuildConfig {
  include: string[];
}

function readJson(file: string): unknown {
  return ts.parseConfigFileTextToJson(file, readFileSync(file, "utf8")).config;
}

function modifiedAt(file: string): number {
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

function sources(): string[] {
  const { include } = readJson(path.join(ROOT, "tsconfig.build.json")) as BuildConfig;
  return include.flatMap((folder) =>
    filesIn(path.join(ROOT, folder))
      .filter((file) => file.endsWith(".ts"))
      .map((file) => path.join(folder, file)),
  );
}

/**
 * The service as `npm run build` makes it, but for the types, which are not looked at: processes start twice as fast
 * from it as from TypeScript. Once a test run, and only what has changed is made again; whole files appear, so that
 * several test runs may do it at once. Answers the folder.
 */
export function buildService(): string {
  if (built) return OUT;
  const settings = ["tsconfig.json", "tsconfig.build.json", "package-lock.json"];
  const settingsAt = Math.max(...settings.map((file) => modifiedAt(path.join(ROOT, file))));
  const { options } = ts.parseJsonConfigFileContent(readJson(path.join(ROOT, "tsconfig.json")), ts.sys, ROOT);
  for (const source of sources()) {
    const from = path.join(ROOT, source);
    const to = path.join(OUT, source.replace(/\.ts$/, ".js"));
    if (modifiedAt(to) > Math.max(modifiedAt(from), settingsAt)) continue;
    const { outputText } = ts.transpileModule(readFileSync(from, "utf8"), {
      fileName: from,
      compilerOptions: { ...options, noEmit: false, sourceMap: false },
    });
    mkdirSync(path.dirname(to), { recursive: true });
    const whole = `${to}.${process.pid}`;
    writeFileSync(whole, outputText);
    renameSync(whole, to);
  }
  for (const file of filesIn(OUT))
    if (
      file.endsWith(".js") &&
      !file.startsWith("web") &&
      !existsSync(path.join(ROOT, file.replace(/\.js$/, ".ts")))
    )
      rmSync(path.join(OUT, file));
  built = true;
  return OUT;
}
