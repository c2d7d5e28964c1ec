import { spawnSync } from "node:child_process";
import path from "node:path";

/**
 * A bitcoind that runs here: BITCOIND_BIN, the one on the PATH, or Debian's, fetched for the tests alone.
 * @throws Error that says what to do, where there is none and none can be fetched.
 */
export function findBitcoind(): string {
  const given = process.env.BITCOIND_BIN;
  if (given) return given;
  if (spawnSync("bitcoind", ["--version"]).status === 0) return "bitcoind";
  const script = path.join(__dirname, "../../scripts/devnet/fetch-bitcoind.sh");
  const fetched = spawnSync("sh", [script], { encoding: "utf8", timeout: 300_000 });
  if (fetched.status !== 0) {
    throw new Error(`There is no bitcoind here, and none could be fetched: ${fetched.stderr.trim()}`);
  }
  return fetched.stdout.trim();
}
