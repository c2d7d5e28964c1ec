import { CommanderError } from "commander";
import { BackupFileError } from "../../adapters/backup/backup-file";
import { certificateAdvice } from "../../adapters/certificate-advice";
import { isDatabaseOutage } from "../../adapters/database-outage";
import { DatabaseRefusedError } from "../../adapters/database";
import { WrongInstallationError } from "../../commands/installation/check-installation";
import { ConfigError } from "../../config/load";
import { DomainError, NodeUnavailableError } from "../../domain/errors";

export interface Failure {
  code: string;
  message: string;
}

/** Postgres's class 28 and the database that is not there. */
const REFUSED_BY_POSTGRES = /^(28...|3D000)$/;
const CREDENTIALS_IN_URL = /(\w:\/\/)[^\s/@]+@/g;

/** Options with a name of their own. */
const OPTIONS: Readonly<Record<string, string>> = {
  "/requiredConfirmations": "--confirmations",
  "/defaultCurrency": "--currency",
  "/tlsCertificate": "--cert-file",
  "/macaroon": "--macaroon-file",
};

/** The option that a field of a command came from: `/startIndex` → `--start-index`. */
function optionOf(pointer: string): string {
  const name = pointer.slice(1).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return OPTIONS[pointer] ?? `--${name}`;
}

function domainMessage(error: DomainError): string {
  if (error.errors.length === 0) return error.message;
  return error.errors.map(({ pointer, message }) => `${optionOf(pointer)}: ${message}`).join(" ");
}

export function postgresCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

const INSUFFICIENT_PRIVILEGE = "42501";

/** How an error is printed: a stable code and a sentence that says how to fix it, never a secret. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error))
    return { code: "internal", message: "Unknown error (a value that is not an Error was thrown)." };
  const message = error.message.replace(CREDENTIALS_IN_URL, "$1[hidden]@");
  if (error instanceof DomainError) return { code: error.code, message: domainMessage(error) };
  if (error instanceof ConfigError) return { code: "configuration", message };
  if (error instanceof CommanderError) return { code: "usage", message: message.replace(/^error: /, "") };
  if (error instanceof DatabaseRefusedError) return { code: "database-refused", message };
  if (error instanceof BackupFileError) return { code: "backup-refused", message };
  if (error instanceof WrongInstallationError) return { code: "wrong-installation", message };
  if (error instanceof NodeUnavailableError) return { code: "node-unavailable", message };
  if (REFUSED_BY_POSTGRES.test(postgresCode(error)))
    return {
      code: "unavailable",
      message: `Postgres refuses the connection: ${message}. Check DATABASE_URL.`,
    };
  const advice = certificateAdvice(error, "Postgres");
  if (advice !== null) return { code: "unavailable", message: advice };
  if (isDatabaseOutage(error))
    return {
      code: "unavailable",
      message: `The database does not answer (${message || postgresCode(error)}). Does it run, and is DATABASE_URL right?`,
    };
  if (postgresCode(error) === INSUFFICIENT_PRIVILEGE)
    return {
      code: "unavailable",
      message: `The role of DATABASE_URL may not do this in its database (${message}). Make it the owner: ALTER DATABASE … OWNER TO …, and the same for its schema public and what is in it.`,
    };
  return { code: "internal", message };
}
