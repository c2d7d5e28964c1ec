import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeArgsOf } from "../../scripts/bench/node-args";
import { buildService } from "./built";
import { TEST_APP_SECRET } from "./context";

export interface WorkerProcess {
  pid: number;
  /** Its log, a line an object. */
  lines: Record<string, unknown>[];
  /** All that it wrote, as it came. */
  output(): string;
  /** Resolves when it said that it is ready; rejects when it ended before. */
  ready: Promise<void>;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
}

const started = new Set<WorkerProcess>();

// None outlives the test run, however that ends.
process.once("exit", () => {
  for (const worker of started) worker.kill("SIGKILL");
});

/** What a worker needs to start; a key that is undefined is left out. */
export function workerEnvironment(overrides: Record<string, string | undefined>): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    NETWORK: "regtest",
    PUBLIC_URL: "http://127.0.0.1:3000",
    APP_SECRET: TEST_APP_SECRET,
    WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
    LOG_LEVEL: "debug",
    ...overrides,
  };
}

/** Starts a worker, or the api, as PM2 does: a process of its own that says over its channel when it is ready. */
export function startWorkerProcess(
  name: string,
  overrides: Record<string, string | undefined>,
): WorkerProcess {
  const cwd = mkdtempSync(path.join(os.tmpdir(), "quittance-worker-")); // without an .env of the developer's
  const child = spawn(
    process.execPath,
    [
      ...nodeArgsOf(name),
      path.join(buildService(), name === "api" ? "api/main.js" : "workers/main.js"),
      name,
    ],
    { cwd, env: workerEnvironment(overrides), stdio: ["ignore", "pipe", "pipe", "ipc"] },
  );
  let output = "";
  const read = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout?.on("data", read);
  child.stderr?.on("data", read);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (code, signal) => {
      rmSync(cwd, { recursive: true, force: true });
      resolve({ code, signal });
    });
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.on("message", (message) => message === "ready" && resolve());
    void exited.then(({ code }) =>
      reject(new Error(`${name} ended with ${code} before it was ready: ${output}`)),
    );
  });
  ready.catch(() => undefined); // who waits for it sees it
  const worker: WorkerProcess = {
    pid: child.pid ?? 0,
    get lines() {
      return output
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    output: () => output,
    ready,
    exited,
    kill: (signal) => void child.kill(signal),
  };
  started.add(worker);
  void exited.then(() => started.delete(worker));
  return worker;
}

/** Ends what a test left running. */
export async function killWorkerProcesses(): Promise<void> {
  const left = [...started];
  for (const worker of left) worker.kill("SIGKILL");
  await Promise.all(left.map(({ exited }) => exited));
}
