import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { given, withCredentials, type Environment } from "./environment";
import { lndFileProblems } from "./lnd-files";
import { SETTINGS, type Config, type SettingName } from "./schema";

export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(
      [
        `The configuration has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:`,
        ...problems.map((problem) => `  - ${problem}`),
        "Settings are read from the environment, from .env in the current folder, and from systemd's credentials; .env.example describes them.",
      ].join("\n"),
    );
  }
}

/** Tor encrypts all the way, and the name is a key. */
const isHiddenService = (url: string): boolean =>
  URL.canParse(url) && new URL(url).hostname.endsWith(".onion");

function togetherProblems(env: Environment): string[] {
  const problems: string[] = [];
  const set = (name: SettingName): boolean => given(env, name) !== undefined;
  for (const pair of [
    ["LND_TLS_CERT_FILE", "LND_TLS_CERT_HEX"],
    ["LND_MACAROON_FILE", "LND_MACAROON_HEX"],
  ] as const) {
    if (set(pair[0]) && set(pair[1])) problems.push(`${pair[0]} and ${pair[1]}: set one of them, not both`);
  }
  if (set("LND_GRPC_URL") && !set("LND_MACAROON_FILE") && !set("LND_MACAROON_HEX"))
    problems.push("LND_MACAROON_FILE or LND_MACAROON_HEX is missing: LND_GRPC_URL needs one of them");
  const rpcUrl = given(env, "BITCOIND_RPC_URL");
  if (
    rpcUrl !== undefined &&
    URL.canParse(rpcUrl) &&
    new URL(rpcUrl).username === "" &&
    !set("BITCOIND_COOKIE_FILE")
  )
    problems.push(
      "BITCOIND_RPC_URL has no user:password@ and BITCOIND_COOKIE_FILE is not set: bitcoind needs one of the two",
    );
  for (const name of ["BITCOIND_ZMQ_RAWTX", "BITCOIND_ZMQ_HASHBLOCK", "BITCOIND_COOKIE_FILE"] as const)
    if (set(name) && rpcUrl === undefined) problems.push(`${name} is set but BITCOIND_RPC_URL is not`);
  const smtpUrl = given(env, "SMTP_URL");
  if (smtpUrl !== undefined && URL.canParse(smtpUrl))
    for (const name of ["from", "to"])
      if (!new URL(smtpUrl).searchParams.get(name)?.includes("@"))
        problems.push(`SMTP_URL has no ${name}: add ?from=…&to=… with mail addresses`);
  const publicUrl = given(env, "PUBLIC_URL");
  if (given(env, "NETWORK") === "mainnet" && publicUrl?.startsWith("http://") && !isHiddenService(publicUrl))
    problems.push(
      "PUBLIC_URL must start with https:// on mainnet: otherwise the address to pay to could be changed on the way to the customer",
    );
  const network = given(env, "NETWORK");
  if (set("TEST_CUSTOMER_URL") && network !== undefined && network !== "regtest")
    problems.push(
      `TEST_CUSTOMER_URL is for NETWORK=regtest only, and NETWORK is ${network}: its buttons let everybody change an invoice. Remove it`,
    );
  return problems;
}

/** Also without a complete environment, with every problem: for diagnosis. */
export function readSettings(
  environment: Environment,
  optional: readonly SettingName[] = [],
): { values: Partial<Config>; problems: string[] } {
  const { env, problems } = withCredentials(environment);
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const { schema, about } = SETTINGS[name];
    const text = given(env, name);
    const result = schema.safeParse(text);
    if (result.success) values[name] = result.data;
    else if (text !== undefined)
      problems.push(`${name} ${result.error.issues.map((issue) => issue.message).join(", ")}`);
    else if (!optional.includes(name)) problems.push(`${name} is missing: ${about}`);
  }
  problems.push(...togetherProblems(env));
  return { values: values as Partial<Config>, problems };
}

/**
 * `optional` names may be missing (the command line needs but the database). Throws ConfigError with every problem;
 * secrets are never in it.
 */
export function parseConfig(env: Environment, optional: readonly SettingName[] = []): Config {
  const { values, problems } = readSettings(env, optional);
  return frozen(values, problems);
}

function frozen(values: Partial<Config>, problems: readonly string[]): Config {
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values as Config);
}

/** With `.env` for missing keys. */
export function readEnvironment(file = ".env"): Environment {
  let text = "";
  try {
    text = readFileSync(file, "utf8").replace(/^\ufeff/, ""); // editors on Windows write a byte order mark
  } catch {
    // A setting that is missing then is named.
  }
  return { ...parseEnv(text), ...process.env };
}

/** The files that settings name must be there, too. Throws ConfigError. */
export function loadConfig(env: Environment = readEnvironment()): Config {
  const { values, problems } = readSettings(env);
  problems.push(...lndFileProblems(values));
  return frozen(values, problems);
}
