import { DatabaseError } from "pg";
import { QueryFailedError } from "typeorm";

/**
 * SQLSTATE (Postgres, Appendix A): connection exceptions, insufficient resources, shutdown and crash, a standby,
 * time-outs, deadlocks.
 */
const OUTAGE_CLASSES = ["08", "53", "57"];
const OUTAGE_CODES = ["25006", "25P03", "40001", "40P01", "55P03"];
const SOCKET_CODES = [
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
];
/** Neither class nor code. A test checks the real messages. */
const DRIVER_WORDS =
  /^(timeout exceeded when trying to connect|Connection terminated|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end)/;

/** Away or overloaded, and not a wrong statement. */
export function isDatabaseOutage(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!(cause instanceof Error)) return false;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  if (cause instanceof DatabaseError)
    return OUTAGE_CLASSES.includes(code.slice(0, 2)) || OUTAGE_CODES.includes(code);
  return SOCKET_CODES.includes(code) || DRIVER_WORDS.test(cause.message);
}
