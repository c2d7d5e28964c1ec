import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pm2HomeIn } from "../pm2-home";
import { endProcess, isDaemonOf, pidIn, pm2Program } from "../processes";

/** npm may have put it beside our package, or in it. */
const PM2 = pm2Program("pm2");
const LINES_OF_LOG = 15;
/** PM2's line about each process that has said that it is ready. */
const READY = /App \[.*\] launched/g;
/** PM2 kills the last of them after 45 s (ecosystem.config.js). */
const DAEMON_PATIENCE_MS = 50_000;
const APP_PATIENCE_MS = 2_000;

/** All the service's processes, under a PM2 of the demo's own. */
export class Apps {
  readonly home: string;
  private starting: ChildProcess | null = null;

  constructor(
    private readonly root: string,
    demoDir: string,
  ) {
    this.home = pm2HomeIn(demoDir);
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
  }

  get logDir(): string {
    return path.join(this.home, "logs");
  }

  /** Starts every app of ecosystem.config.js; rejects with PM2's words when that fails. */
  async start(env: NodeJS.ProcessEnv): Promise<void> {
    rmSync(this.logDir, { recursive: true, force: true });
    const status = await this.pm2(["start", "ecosystem.config.js"], {
      ...env,
      PM2_CONCURRENT_ACTIONS: "8", // each waits until it is ready, and none waits for another
    });
    if (status !== 0) throw new Error(`PM2 could not start the service:\n${this.lastLines(this.pm2Log)}`);
  }

  /** How many of the processes that were started are ready, and of how many: "3 of 8 processes ready". */
  progress(): string {
    const ready = readFileSync(this.pm2Log, "utf8").match(READY) ?? [];
    const { apps } = createRequire(__filename)(path.join(this.root, "ecosystem.config.js")) as {
      apps: object[];
    };
    return `${ready.length} of ${apps.length} processes ready`;
  }

  /** `api`, or `all`. Returns PM2's words when that fails, else null. */
  async restart(name: string): Promise<string | null> {
    // PM2 restarts no app that crashed and waits for its next start, but one that is stopped.
    for (const action of ["stop", "restart"]) {
      const status = await this.pm2([action, name], { ...process.env, PM2_CONCURRENT_ACTIONS: "8" });
      if (status !== 0) return `PM2 could not ${action} ${name}:\n${this.lastLines(this.pm2Log)}`;
    }
    return null;
  }

  /** Ends them and PM2, those of a demo that crashed too. */
  async stop(): Promise<void> {
    if (this.starting !== null) {
      this.starting.kill("SIGKILL");
      await once(this.starting, "exit");
    }
    const daemon = pidIn(path.join(this.home, "pm2.pid"));
    if (daemon !== null)
      await endProcess(daemon, (title) => isDaemonOf(title, this.home), DAEMON_PATIENCE_MS);
    // Apps outlive a PM2 that was killed.
    const pids = path.join(this.home, "pids");
    for (const name of list(pids)) {
      const pid = pidIn(path.join(pids, name));
      if (pid !== null) await endProcess(pid, (command) => command.includes(this.root), APP_PATIENCE_MS);
      rmSync(path.join(pids, name), { force: true });
    }
    for (const name of ["pm2.pid", "rpc.sock", "pub.sock"])
      rmSync(path.join(this.home, name), { force: true });
  }

  /** The last lines that the apps logged. */
  logs(): string {
    return list(this.logDir)
      .map((name) => this.lastLines(path.join(this.logDir, name)))
      .filter((text) => text !== "")
      .join("\n");
  }

  /** The last lines of the app that wrote an error last: a mistake in code that all run is shown once. */
  lastError(): string {
    const files = list(this.logDir)
      .filter((name) => name.endsWith("-error.log"))
      .map((name) => path.join(this.logDir, name))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
    return files[0] === undefined ? "" : this.lastLines(files[0]);
  }

  private get pm2Log(): string {
    return path.join(this.home, "start.log");
  }

  /** In a group of its own: Ctrl-C reaches us, and we end the apps in order. */
  private async pm2(args: string[], env: NodeJS.ProcessEnv): Promise<number | null> {
    const log = openSync(this.pm2Log, "w");
    const child = spawn(process.execPath, [PM2, ...args], {
      cwd: this.root,
      env: { ...env, PM2_HOME: this.home },
      stdio: ["ignore", log, log],
      detached: true,
    });
    this.starting = child;
    try {
      const [status] = (await once(child, "exit")) as [number | null];
      return status;
    } finally {
      this.starting = null;
      closeSync(log);
    }
  }

  private lastLines(file: string): string {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-LINES_OF_LOG).join("\n");
  }
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
