import { cliCommand } from "../../../adapters/version";
import type { createDataSource } from "../../../database/data-source";

export type Database = ReturnType<typeof createDataSource>;

/** `failed`: it will not work, or not safely. `unknown`: could not be checked while something else has failed. */
export type CheckStatus = "ok" | "warning" | "failed" | "unknown" | "off";

export interface Finding {
  status: CheckStatus;
  message: string;
  /** What to do about it. */
  fix: string | null;
}

export interface Check extends Finding {
  name: string;
}

const finding =
  (status: CheckStatus) =>
  (message: string, fix: string | null = null): Finding => ({ status, message, fix });

type Remark = (message: string) => Finding;
type Complaint = (message: string, fix: string) => Finding;

export const ok: Remark = finding("ok");
export const off: Remark = finding("off");
export const unknown: Remark = finding("unknown");
export const warning: Complaint = finding("warning");
export const failed: Complaint = finding("failed");

/** In their order. */
export const named = (findings: Readonly<Record<string, Finding>>): Check[] =>
  Object.entries(findings).map(([name, found]) => ({ name, ...found }));

/** The first of them as found; all behind them are alike. */
export const listed = (names: readonly string[], first: readonly Finding[], others: Finding): Check[] =>
  names.map((name, at) => ({ name, ...(first[at] ?? others) }));

export const MIGRATE = `Run \`${cliCommand("migrate")}\`.`;

/** An error's words; some have none but a code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  // A name with several addresses fails as an AggregateError without words.
  return error.message || code;
}
