import { requiresTls } from "../../../adapters/mail";
import { existsSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "../../../config/environment";
import { SETTINGS, type Config } from "../../../config/schema";
import { lacksNamedProxy } from "../../../domain/client-address";
import { ENDED_NODES, SECURE_NODES } from "./secure-nodes";
import { isThisHost } from "../../../domain/this-host";
import { failed, type Finding, off, ok, reasonOf, unknown, warning } from "./check";

const NODE_FLOOR = "20.19.0";

const isOlder = (version: string, than: string): boolean =>
  version.localeCompare(than, "en", { numeric: true }) < 0;

export function nodeCheck(version: string = process.versions.node): Finding {
  const [major = 0] = version.split(".").map(Number);
  if (isOlder(version, NODE_FLOOR))
    return failed(`Node ${version} is too old.`, `Install Node ${NODE_FLOOR} or newer.`);
  const secure = SECURE_NODES[major];
  if (ENDED_NODES.has(major))
    return warning(
      `Node ${version} will do, but its line gets no security releases any more.`,
      `Install Node ${SECURE_NODES[24]} or newer.`,
    );
  return secure !== undefined && isOlder(version, secure)
    ? warning(
        `Node ${version} lacks the security fixes of ${secure}: a client may be able to stop the service.`,
        `Install Node ${secure} or newer.`,
      )
    : ok(`Node ${version}`);
}

export function configurationCheck(problems: readonly string[]): Finding {
  return problems.length === 0
    ? ok("All settings are valid.")
    : failed(
        problems.join("\n"),
        "Set them in the environment, in .env, or as systemd's credentials; .env.example explains each.",
      );
}

const mayDo = (file: string, what: number): boolean =>
  process.platform !== "win32" && (statSync(file).mode & what) !== 0;

/**
 * `.env` holds secrets: others on this host must neither read it nor change it. A misspelt name in it is a setting that
 * nobody reads.
 */
export function envFileCheck(file = ".env"): Finding {
  if (!existsSync(file))
    return off("There is no .env: settings come from the environment, and from systemd's credentials.");
  if (mayDo(file, 0o004)) return warning("Everybody on this host can read .env.", "Run `chmod 600 .env`.");
  if (mayDo(file, 0o022)) return warning("Others on this host can change .env.", "Run `chmod 600 .env`.");
  let names: string[];
  try {
    names = Object.keys(parseEnv(readFileSync(file, "utf8")));
  } catch (error) {
    return failed(`.env cannot be read: ${reasonOf(error)}`, "Make it a file of the service's user.");
  }
  const unknownNames = names.filter((each) => !Object.hasOwn(SETTINGS, each));
  return unknownNames.length === 0
    ? ok("Nobody else can read or change it.")
    : warning(
        `.env has names that are no settings: ${unknownNames.join(", ")}.`,
        "Correct the name, or remove the line; .env.example has all settings.",
      );
}

/** `pm2 save` writes the environment of every app into a file, with the mode that its umask leaves. */
export function pm2DumpCheck(env: Environment): Finding {
  const home = env["PM2_HOME"] ?? path.join(env["HOME"] ?? os.homedir(), ".pm2");
  const files = ["dump.pm2", "dump.pm2.bak"]
    .map((file) => path.join(home, file))
    .filter((file) => existsSync(file));
  if (files.length === 0) return off("PM2 has not saved anything.");
  const open = files.filter((file) => mayDo(file, 0o077));
  return open.length === 0
    ? ok("Only its owner can read what PM2 has saved.")
    : warning(
        `Others on this host may read ${open.join(" and ")}, which \`pm2 save\` writes the environment into.`,
        `Run \`chmod 600 ${open.join(" ")}\`, start PM2 under \`umask 077\`, and keep secrets in .env: its values are not written to that file.`,
      );
}

function isEncrypted(url: URL): boolean {
  if (["rediss:", "https:", "smtps:"].includes(url.protocol)) return true;
  if (url.protocol === "smtp:") return requiresTls(url);
  const mode = url.searchParams.get("sslmode");
  if (mode !== null) return ["prefer", "require", "verify-ca", "verify-full"].includes(mode);
  return ["true", "1"].includes(url.searchParams.get("ssl") ?? "");
}

const CONNECTIONS = ["DATABASE_URL", "REDIS_URL", "SMTP_URL", "ALERT_URL", "BITCOIND_RPC_URL"] as const;

/** Passwords, customers' data, addresses to pay to, one-time links and alerts pass these. */
export function transportCheck(config: Partial<Config>): Finding {
  const open = CONNECTIONS.filter((setting) => {
    const text = config[setting];
    if (text === undefined || !URL.canParse(text)) return false;
    const url = new URL(text);
    const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
    return !isThisHost(host) && !isEncrypted(url);
  });
  return open.length === 0
    ? ok("Postgres, Redis, the mail server, ALERT_URL and bitcoind are on this host, or reached by TLS.")
    : warning(
        `${open.join(", ")}: another host, without TLS: anybody on the network path can read and change the traffic.`,
        "Use sslmode=verify-full for Postgres, rediss:// for Redis, https:// for ALERT_URL, smtp:// without requireTLS=false, and for bitcoind an encrypted tunnel, unless the network between them is private or encrypted.",
      );
}

export function publicUrlCheck({ PUBLIC_URL, NETWORK }: Partial<Config>): Finding {
  if (PUBLIC_URL === undefined)
    return failed("PUBLIC_URL is missing or wrong.", "Set it to where customers reach this service.");
  const url = new URL(PUBLIC_URL);
  if (url.protocol === "https:") return ok(PUBLIC_URL);
  const loopback = /^(localhost|127\.|\[::1\])/.test(url.hostname);
  if (loopback && NETWORK !== "mainnet") return ok(`${PUBLIC_URL} (this host only)`);
  const fix = "Put a reverse proxy with TLS before the service, and set PUBLIC_URL to its https:// address.";
  return NETWORK === "mainnet"
    ? failed("It is not https: anybody on the network path can change the address to pay to.", fix)
    : warning("It is not https.", fix);
}

/** Behind a proxy that is not named one client uses up the limits of all: logins, checkouts, requests without a key. */
export function trustProxyCheck({ PUBLIC_URL, TRUST_PROXY = [] }: Partial<Config>): Finding {
  if (PUBLIC_URL === undefined) return unknown("PUBLIC_URL is missing or wrong.");
  if (lacksNamedProxy(PUBLIC_URL, TRUST_PROXY))
    return warning(
      "PUBLIC_URL is https and TRUST_PROXY is empty: all clients count as one address, and one of them can lock all others out.",
      "Set TRUST_PROXY to the reverse proxy's address: 127.0.0.1,::1 if it runs on this host.",
    );
  return TRUST_PROXY.length === 0
    ? off("No proxy is set: clients are counted by their own address.")
    : ok(`${TRUST_PROXY.length} named`);
}
