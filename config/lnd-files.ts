import { readFileSync } from "node:fs";
import type { Config } from "./schema";

function problemOf(name: string, file: string, isSound: (content: Buffer) => boolean): string | null {
  try {
    const content = readFileSync(file);
    if (content.length === 0) return `${name} is an empty file`;
    return isSound(content) ? null : `${name} has no certificate in PEM`;
  } catch (error) {
    return `${name} cannot be read (${(error as { code?: string }).code ?? "unknown error"})`;
  }
}

const isPem = (content: Buffer): boolean => content.includes("-----BEGIN CERTIFICATE-----");

/** At the start. Later a file that is gone is a node that is away. */
export function lndFileProblems(config: Partial<Config>): string[] {
  const { LND_GRPC_URL, LND_TLS_CERT_FILE, LND_TLS_CERT_HEX, LND_MACAROON_FILE } = config;
  if (LND_GRPC_URL === undefined) return [];
  const problems: (string | null)[] = [];
  if (LND_TLS_CERT_FILE !== undefined)
    problems.push(problemOf("LND_TLS_CERT_FILE", LND_TLS_CERT_FILE, isPem));
  else if (LND_TLS_CERT_HEX !== undefined && !isPem(Buffer.from(LND_TLS_CERT_HEX, "hex")))
    problems.push("LND_TLS_CERT_HEX is not tls.cert (PEM) in hex: make it with `xxd -p -c0 tls.cert`");
  if (LND_MACAROON_FILE !== undefined)
    problems.push(problemOf("LND_MACAROON_FILE", LND_MACAROON_FILE, () => true));
  return problems.filter((problem) => problem !== null);
}
