import { existsSync, statSync } from "node:fs";
import type { Config } from "../../../config/schema";
import { failed, off, ok, warning, type Check } from "./check";

const NODE_FLOOR = [20, 19] as const;

export function nodeCheck(version: string = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1]);
  return enough
    ? ok("node", `Node ${version}`)
    : failed("node", `Node ${version} is too old.`, `Install Node ${NODE_FLOOR.join(".")} or newer.`);
}

export function configurationCheck(problems: readonly string[]): Check {
  return problems.length === 0
    ? ok("configuration", "Every setting can be read.")
    : failed(
        "configuration",
        problems.join("\n"),
        "Set them in the environment or in .env; .env.example explains each.",
      );
}

/** `.env` holds secrets: others on this host must not read it. */
export function envFileCheck(file = ".env"): Check {
  if (!existsSync(file))
    return off("env-file", "There is no .env: settings come from the environment alone.");
  if (process.platform !== "win32" && (statSync(file).mode & 0o004) !== 0)
    return warning("env-file", "Everybody on this host can read .env.", "Run `chmod 600 .env`.");
  return ok("env-file", "Not readable by others.");
}

export function publicUrlCheck({ PUBLIC_URL, NETWORK }: Partial<Config>): Check {
  const name = "public-url";
  if (PUBLIC_URL === undefined)
    return failed(name, "PUBLIC_URL is missing or wrong.", "Set it to where customers reach this service.");
  const url = new URL(PUBLIC_URL);
  if (url.protocol === "https:") return ok(name, PUBLIC_URL);
  const loopback = /^(localhost|127\.|\[::1\])/.test(url.hostname);
  if (loopback && NETWORK !== "mainnet") return ok(name, `${PUBLIC_URL} (this host alone)`);
  const fix = "Put a reverse proxy with TLS before the service, and an https:// address in PUBLIC_URL.";
  return NETWORK === "mainnet"
    ? failed(name, "It is not https: whoever is on the way can change the address to pay to.", fix)
    : warning(name, "It is not https.", fix);
}
