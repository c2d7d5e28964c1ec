#!/usr/bin/env node
import { parseArgs } from "node:util";
import { Connection } from "./connection";
import { QuittanceError } from "./errors";
import { listen, resend, trigger } from "./listen";
import { TYPES, type EventType } from "./post-event";

const USAGE = `usage: quittance listen --forward-to URL [--events Settled,Expired] [--since SEQ]
       quittance listen --forward-to URL --resend ID
       quittance trigger TYPE [--forward-to URL]

listen    sends each new event of the store to URL, once and signed as a webhook is, and says what came back.
          What happened while it was not running comes at its next start.
  --events    only these types: ${TYPES.join(", ")}
  --since     begins after this position of the feed; 0 is the beginning
  --resend    sends one event again: its seq, or its evt_… if it was sent from here
trigger   sends a test event, marked by X-Service-Test: true, to URL or where listen sent last.

The store is named by --url and --store, or by QUITTANCE_URL and QUITTANCE_STORE_ID; the API key only by
QUITTANCE_API_KEY. The key needs no more than the right to read.
`;

/** Whoever reads it can put it right. */
class UsageError extends Error {}

const OPTIONS = {
  "forward-to": { type: "string" },
  events: { type: "string" },
  since: { type: "string" },
  resend: { type: "string" },
  url: { type: "string" },
  store: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof read>["values"];

function read(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function storeOf(
  { url, store }: Values,
  env: NodeJS.ProcessEnv,
): { baseUrl: string; storeId: string; apiKey: string } {
  const { QUITTANCE_URL, QUITTANCE_STORE_ID, QUITTANCE_API_KEY } = env;
  const given = {
    baseUrl: url ?? QUITTANCE_URL,
    storeId: store ?? QUITTANCE_STORE_ID,
    apiKey: QUITTANCE_API_KEY,
  };
  const { baseUrl = "", storeId = "", apiKey = "" } = given;
  const missing = [
    ...(baseUrl === "" ? ["--url or QUITTANCE_URL (where the service is)"] : []),
    ...(storeId === "" ? ["--store or QUITTANCE_STORE_ID (str_…)"] : []),
    ...(apiKey === "" ? ["QUITTANCE_API_KEY (sk_…; the dashboard makes one at API keys)"] : []),
  ];
  if (missing.length > 0) throw new UsageError(`missing: ${missing.join("; ")}`);
  return { baseUrl, storeId, apiKey };
}

function endpointOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new UsageError(`--forward-to must be an http or https URL, such as http://localhost:4000/webhook`);
  return url.href;
}

function typeOf(text: string): EventType {
  const type = TYPES.find((one) => one === text);
  if (type === undefined) throw new UsageError(`there is no event ${text}; there are ${TYPES.join(", ")}`);
  return type;
}

function sinceOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,16}$/.test(text))
    throw new UsageError("--since must be a position of the feed, such as 0000000000000042");
  return text.padStart(16, "0");
}

async function run(env: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = read(process.argv.slice(2));
  const [command, ...rest] = positionals;
  if (values.help === true) return void process.stdout.write(USAGE);
  const known = command === "listen" ? rest.length === 0 : command === "trigger" && rest.length === 1;
  if (!known)
    throw new UsageError(command === undefined ? "no command" : `not understood: ${positionals.join(" ")}`);
  const forwardTo = endpointOf(values["forward-to"]);
  const types = values.events?.split(",").map((text) => typeOf(text.trim()));
  const since = sinceOf(values.since);
  const triggered = command === "trigger" ? typeOf(rest[0] ?? "") : undefined;
  const store = storeOf(values, env);
  const parts = { connection: new Connection(store), ...store, stateHome: env["XDG_STATE_HOME"], say };
  if (triggered !== undefined) return trigger(parts, triggered, forwardTo);
  if (forwardTo === undefined)
    throw new UsageError("missing: --forward-to URL (your receiver on this machine)");
  if (values.resend !== undefined) return resend(parts, forwardTo, values.resend);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  await listen({ ...parts, forwardTo, types, since, signal: stop.signal });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  if (error instanceof QuittanceError && error.status === 401)
    return "The service does not know this API key: QUITTANCE_API_KEY must be a key of this store.\n";
  return `${error instanceof Error ? error.message : String(error)}\n`;
}

run(process.env).catch((error: unknown) => {
  process.stderr.write(`quittance: ${explain(error)}`);
  process.exitCode = 1;
});
