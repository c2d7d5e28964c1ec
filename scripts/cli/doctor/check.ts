import { cliCommand } from "../../../adapters/version";
import type { createDataSource } from "../../../database/data-source";

export type Database = ReturnType<typeof createDataSource>;

/** `failed`: it will not work, or not safely. `unknown`: could not be checked while something else has failed. */
export type CheckStatus = "ok" | "warning" | "failed" | "unknown" | "off";

export interface Check {
  name: string;
  status: CheckStatus;
  message: string;
  /** What to do about it. */
  fix: string | null;
}

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message, fix: null });
export const off = (name: string, message: string): Check => ({ name, status: "off", message, fix: null });
export const unknown = (name: string, message: string): Check => ({
  name,
  status: "unknown",
  message,
  fix: null,
});
export const warning = (name: string, message: string, fix: string): Check => ({
  name,
  status: "warning",
  message,
  fix,
});
export const failed = (name: string, message: string, fix: string): Check => ({
  name,
  status: "failed",
  message,
  fix,
});

export const MIGRATE = `Run \`${cliCommand("migrate")}\`.`;

/** An error's words; some have none but a code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  // A name with several addresses fails as an AggregateError without words.
  return error.message || code;
}
