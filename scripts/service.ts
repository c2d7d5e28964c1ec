import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pm2HomeIn } from "./pm2-home";
import { commandOf, isDaemonOf, pidIn, pm2Program } from "./processes";

// The service of an installed package: every app of ecosystem.config.js under a PM2 of its own, in the foreground.

const ECOSYSTEM = path.join(__dirname, "../../ecosystem.config.js");
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Not the user's: ending the service would end whatever else that PM2 runs. */
function pm2Home(env: NodeJS.ProcessEnv): string {
  if (env["PM2_HOME"]) return path.resolve(env["PM2_HOME"]);
  const state = env["XDG_STATE_HOME"] ?? "";
  return pm2HomeIn(
    path.join(path.isAbsolute(state) ? state : path.join(os.homedir(), ".local", "state"), "quittance"),
  );
}

/** Resolves to the exit code; passes signals on, and waits for the apps to end. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // In a group of its own: Ctrl-C reaches us alone, and PM2 ends the apps in order.
  const child = spawn(process.execPath, [program, ...args], { env, stdio: "inherit", detached: true });
  let stopping = false;
  const stop = (): void => {
    if (!stopping) child.kill("SIGTERM");
    stopping = true;
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

/** The process of the PM2 that runs there; null if none does. */
function runningIn(home: string): number | null {
  const pid = pidIn(path.join(home, "pm2.pid"));
  const command = (pid !== null && commandOf(pid)) || "";
  return isDaemonOf(command, home) || command.includes("pm2-runtime") ? pid : null;
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n`);
  return 1;
}

/** Runs until it is stopped by a signal, or until no app can run. */
export async function startService(env: NodeJS.ProcessEnv): Promise<number> {
  const home = pm2Home(env);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  // Who may write there controls the apps.
  if (process.getuid && statSync(home).uid !== process.getuid())
    return refuse(`${home} is another user's: run this as that user, or set PM2_HOME.`);
  chmodSync(home, 0o700);
  const other = runningIn(home);
  if (other !== null)
    return refuse(
      `A PM2 runs in ${home} already (process ${other}). Stop it first, or set PM2_HOME for a second service.`,
    );
  return run(pm2Program("pm2-runtime"), ["start", ECOSYSTEM], {
    ...env,
    PM2_HOME: home,
    QUITTANCE_FOLDER: process.cwd(),
    QUITTANCE_LOG_FILES: "off",
    PM2_CONCURRENT_ACTIONS: "8", // each app waits until it is ready, and none waits for another
  });
}

/** Any command of PM2, for the service that `startService` runs. */
export async function runPm2(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const home = pm2Home(env);
  // PM2 would start, and the service could not.
  if (runningIn(home) === null) return refuse(`No service runs in ${home}: quittance start starts it.`);
  return run(pm2Program("pm2"), args, { ...env, PM2_HOME: home });
}
