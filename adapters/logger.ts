import pino from "pino";
import type { Log } from "../commands/ports";

export interface LoggerOptions {
  level: "debug" | "info" | "warn" | "error";
  /** The app's name: the same word as the PM2 app and the queue. */
  worker: string;
  /** Tells copies of an app apart. */
  instance: string;
  /** Default: standard output. */
  destination?: { write(line: string): void };
}

const SECRET_FIELDS = new Set([
  "apiKey",
  "authorization",
  "cookie",
  "macaroon",
  "password",
  "preimage",
  "secret",
  "token",
  "x-api-key",
]);
/** Fields, and the fields of a field. */
const LEVELS = 2;
const STDOUT = 1;
const TOGETHER_MS = 10;
/** So many are not kept waiting. */
const TOGETHER_BYTES = 8_192;
const CREDENTIALS_IN_URL = /(\w:\/\/)[^\s/@]+@/g;

const withoutCredentials = (text: string): string => text.replace(CREDENTIALS_IN_URL, "$1[hidden]@");

/** An error's other properties (a failed query's parameters, a request's headers) may be secret. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: typeof error };
  return {
    type: error.name,
    message: withoutCredentials(error.message),
    ...("code" in error ? { code: error.code } : {}),
    stack: withoutCredentials(error.stack ?? ""),
  };
}

const hasFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !(value instanceof Error);

/**
 * What is named like a secret is hidden. By our own hand: pino's `redact` reads its paths anew for each line, which was a
 * tenth of the garbage of creating an invoice.
 */
function withoutSecrets(fields: Record<string, unknown>, levels = LEVELS): Record<string, unknown> {
  let shown = fields;
  for (const [name, value] of Object.entries(fields)) {
    const mayShow = SECRET_FIELDS.has(name)
      ? "[hidden]"
      : levels > 1 && hasFields(value)
        ? withoutSecrets(value, levels - 1)
        : value;
    if (mayShow === value) continue;
    if (shown === fields) shown = { ...fields };
    shown[name] = mayShow;
  }
  return shown;
}

/**
 * Standard output, where the lines of a moment go by one write: one for each would be a tenth of creating an invoice.
 * Written at once and not in the background, so that what `process.exit` follows is there; a process that is killed loses
 * its last moment.
 */
function linesTogether(): { write(line: string): void } {
  const out = pino.destination({ dest: STDOUT, sync: true, minLength: TOGETHER_BYTES });
  let waiting = false;
  process.once("exit", () => {
    try {
      out.flushSync();
    } catch {
      // Nobody reads it any more.
    }
  });
  return {
    write(line) {
      out.write(line);
      if (waiting) return;
      waiting = true;
      setTimeout(() => {
        waiting = false;
        out.flush();
      }, TOGETHER_MS).unref();
    },
  };
}

/** One JSON object a line. Give errors as `err`. Secrets are the caller's to leave out; known names are hidden all the same. */
export function makeLogger({ level, worker, instance, destination }: LoggerOptions): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { worker, instance },
    messageKey: "message",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => withoutSecrets(fields) },
    serializers: { err: describeError },
  };
  return pino(options, destination ?? linesTogether());
}
