import os from "node:os";
import path from "node:path";

/** The service's own folder: of this file's build, dist/scripts/demo/. */
export const ROOT = path.join(__dirname, "../../..");

/** Where a demo keeps its data, what a person types to start it, to pay and for its command line, and whose dependency Postgres is. */
export interface DemoPlace {
  dir: string;
  start: string;
  pay: string;
  cli: string;
  /** A file of the package that depends on the embedded Postgres. */
  command: string;
}

/** `npm run demo` and `npm run dev` share it. */
export function repositoryPlace(env: NodeJS.ProcessEnv): DemoPlace {
  return {
    dir: path.join(ROOT, ".demo"),
    start: `npm run ${env["npm_lifecycle_event"] === "dev" ? "dev" : "demo"}`,
    pay: "npm run -s demo:pay --",
    cli: "npm run -s demo:cli --",
    command: __filename,
  };
}

function userDataFolder(env: NodeJS.ProcessEnv): string {
  const home = os.homedir();
  if (process.platform === "darwin") return path.join(home, "Library", "Application Support");
  if (process.platform === "win32") return env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local");
  const given = env["XDG_DATA_HOME"] ?? "";
  return path.isAbsolute(given) ? given : path.join(home, ".local", "share");
}

/** Of the package `quittance-demo`: nothing is written where it is installed. */
export function packagePlace(env: NodeJS.ProcessEnv, command: string): DemoPlace {
  return {
    dir: path.join(userDataFolder(env), "quittance-demo"),
    start: "npx --ignore-scripts quittance-demo",
    pay: "npx --ignore-scripts quittance-demo pay",
    cli: "npx --ignore-scripts quittance-demo cli",
    command,
  };
}
