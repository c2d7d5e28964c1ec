/**
 * Every app of the service for PM2: `npx pm2 start ecosystem.config.js`. All settings come from the environment or from
 * `.env` beside this file; after a change of the environment use `pm2 reload ecosystem.config.js --update-env`.
 *
 * Each app can run in several copies (`pm2 scale webhook-delivery 3`): the queues' workers share the work, of the
 * copies of chain-watch, of lightning-watch and of reconcile one each leads and the others stand by, and the copies
 * of api share its port.
 *
 * PROCESSES=few, for a small machine: all workers in one process, the app `workers`, of which several copies may run too.
 */

const { readFileSync } = require("node:fs");
const path = require("node:path");
const { parseEnv } = require("node:util");

/**
 * Without it V8 would let garbage accumulate by the size of the machine, as if each process had that to itself; an
 * invoice leaves 0.4 MB in the API, a batch of expiries 0.1 GB in reconcile (docs/adr/0033).
 */
const BOUNDED = ["--max-semi-space-size=4", "--max-old-space-size=384"];

/** A thousand nodes have much that lives long, and little to do. */
const MANY_NODES = [...BOUNDED, "--optimize-for-size"];

/** In the foreground PM2 writes the lines to its output. It would also write them to files, which nobody rotates. */
const WITHOUT_FILES =
  process.env.QUITTANCE_LOG_FILES === "off" ? { out_file: "/dev/null", error_file: "/dev/null" } : {};

/** Whose .env is read: the command of an installed package names the folder in which it was started. */
const FOLDER = process.env.QUITTANCE_FOLDER || __dirname;

/** As config/load.ts reads it, which need not be built yet. The apps refuse what it must not be. */
function processes() {
  if (process.env.PROCESSES !== undefined) return process.env.PROCESSES;
  try {
    const text = readFileSync(path.join(FOLDER, ".env"), "utf8").replace(/^\ufeff/, "");
    return parseEnv(text).PROCESSES;
  } catch {
    return undefined;
  }
}

const app = (name, script, settings) => ({
  name,
  script: path.join(__dirname, "dist", script),
  cwd: FOLDER,
  exec_mode: "fork",
  instances: 1,
  // An app says when it is ready; one that waits for its database is left waiting.
  wait_ready: true,
  listen_timeout: 15_000,
  // A worker ends by itself within 18 s. Only what hangs is killed.
  kill_timeout: 20_000,
  // 0.5 s, growing to 15 s, for an app that cannot start; from the beginning again after 30 s of running.
  exp_backoff_restart_delay: 500,
  // The lines are JSON with their own time.
  merge_logs: true,
  time: false,
  ...WITHOUT_FILES,
  ...settings,
});
const worker = (name, settings) =>
  app(name, "workers/main.js", { args: name, node_args: BOUNDED, ...settings });

/** A webhook under way may take 30 s. */
const SENDS = { kill_timeout: 40_000 };
const WORKERS = [
  worker("chain-watch"),
  worker("lightning-watch", { node_args: MANY_NODES }),
  worker("invoices"),
  worker("confirmations"),
  worker("invoice-expiry"),
  worker("webhook-delivery", SENDS),
  worker("reconcile"),
];

module.exports = {
  apps: [
    app("api", "api/main.js", {
      exec_mode: "cluster",
      // A request may take 30 s, and none that is under way is cut off.
      kill_timeout: 45_000,
      node_args: BOUNDED,
    }),
    ...(processes() === "few" ? [worker("workers", SENDS)] : WORKERS),
  ],
};
