import { spawnSync } from "node:child_process";
import path from "node:path";

/**
 * An lnd that runs here: LND_BIN, or the one that scripts/devnet/fetch-lnd.sh finds or builds (minutes, the first
 * time). Null where there is no Go to build it with, told loudly: its tests are skipped, which CI does not take.
 * @throws Error with what the build says, where it failed.
 */
export function findLnd(): string | null {
  const given = process.env["LND_BIN"];
  if (given) return given;
  const script = path.join(__dirname, "../../scripts/devnet/fetch-lnd.sh");
  const fetched = spawnSync("sh", [script], { encoding: "utf8" });
  if (fetched.status === NO_GO) {
    process.stderr.write(`\n  NOT TESTED WITH A REAL LND: ${fetched.stderr.trim()}\n\n`);
    return null;
  }
  if (fetched.status !== 0) throw new Error(`lnd could not be built: ${fetched.stderr.trim()}`);
  return fetched.stdout.trim();
}

/** The script's exit code for it: what a shell says of a command that is not there. */
const NO_GO = 127;
