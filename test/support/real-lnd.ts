import { spawnSync } from "node:child_process";
import path from "node:path";
import { RealNode } from "./real-nodes/real-node";
import type { LndOptions } from "./real-nodes/lnd-process";
import { RealLnd } from "./real-nodes/real-lnd";
import { findBitcoind } from "./bitcoind-binary";

/** fetch-lnd.sh's exit code where there is no Go: what a shell says of a command that is not there. */
const NO_GO = 127;
const BUILD_TIMEOUT_MS = 20 * 60_000;

/**
 * A suite that needs an lnd: LND_BIN, or the one that scripts/devnet/fetch-lnd.sh finds or builds (minutes, the first
 * time). Where there is no Go to build it with the suite says so and is skipped, which CI does not take.
 */
export function withRealLnd(title: string, tests: (binary: () => string) => void): void {
  describe(title, () => {
    let found: string | null = null;
    before(function () {
      this.timeout(BUILD_TIMEOUT_MS);
      found = findLnd();
      if (found === null) this.skip();
    });
    // A suite of its own: its hooks are skipped with its tests.
    describe("on regtest", () => {
      tests(() => {
        if (found === null) throw new Error("no lnd was found");
        return found;
      });
    });
  });
}

type Options = Omit<LndOptions, "bitcoindRpcUrl">;

/** A bitcoind, and on it the merchant's LND and a customer's with channels to it. */
export async function startRealLnd(
  binary: string,
  options: Options = {},
): Promise<{ chain: RealNode; lnd: RealLnd }> {
  const { chain, lnds } = await startRealLnds(binary, [options]);
  return { chain, lnd: lnds[0] as RealLnd };
}

/** For several merchants, each with its own options. */
export async function startRealLnds(
  binary: string,
  merchants: readonly Options[],
): Promise<{ chain: RealNode; lnds: RealLnd[] }> {
  const chain = await RealNode.start(findBitcoind());
  try {
    return { chain, lnds: await RealLnd.start(binary, chain, merchants) };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

/** Null where there is none and no Go. Throws what the build says where it fails. */
function findLnd(): string | null {
  const given = process.env["LND_BIN"];
  if (given) return given;
  const script = path.join(__dirname, "../../scripts/devnet/fetch-lnd.sh");
  const { status, stdout, stderr } = spawnSync("sh", [script], { encoding: "utf8" });
  if (status === 0) return stdout.trim();
  if (status !== NO_GO) throw new Error(`lnd could not be built: ${stderr.trim()}`);
  process.stderr.write(`\n  NOT TESTED WITH A REAL LND: ${stderr.trim()}\n\n`);
  return null;
}
