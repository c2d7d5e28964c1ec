import pino from "pino";
import type { Log } from "../commands/ports";

export interface LoggerOptions {
  level: "debug" | "info" | "warn" | "error";
  worker: string;
  instance: string;
  destination?: { write(line: string): void };
}

const SECRET_FIELDS = [
  "apiKey",
  "authorization",
  "cookie",
  "macaroon",
  "password",
  "preimage",
  "secret",
  "token",
  "x-api-key",
];
/** Also one level deeper. */
const SECRET_PATHS = SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`]);
const CREDENTIALS_IN_URL = /(\w:\/\/)[^\s/@]+@/g;

const withoutCredentials = (text: string): string => text.replace(CREDENTIALS_IN_URL, "$1[hidden]@");

/** Others (a query's parameters, a request's headers) may be secret. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: typeof error };
  return {
    type: error.name,
    message: withoutCredentials(error.message),
    ...("code" in error ? { code: error.code } : {}),
    stack: withoutCredentials(error.stack ?? ""),
  };
}

/** PM2 replaces `write` for the apps of its cluster: what goes by it is in the app's log file. */
const output = (): pino.DestinationStream =>
  Object.hasOwn(process.stdout, "write") ? process.stdout : pino.destination({ sync: true });

/** JSON lines. Pass errors as `err`. Callers leave out secrets; known names are hidden in any case. */
export function makeLogger({ level, worker, instance, destination }: LoggerOptions): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { worker, instance },
    messageKey: "message",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_PATHS, censor: "[hidden]" },
    serializers: { err: describeError },
  };
  return pino(options, destination ?? output());
}
