import type { Config } from "../../config/schema";
import type { LndSettings } from "./connection";
import type { CredentialSource } from "./credentials";

function given(file: string | undefined, hex: string | undefined): CredentialSource | null {
  if (file !== undefined) return { file };
  return hex === undefined ? null : { hex };
}

/** Null: off. */
export function lndSettings(config: Partial<Config>): LndSettings | null {
  const address = config.LND_GRPC_URL;
  const certificate = given(config.LND_TLS_CERT_FILE, config.LND_TLS_CERT_HEX);
  const macaroon = given(config.LND_MACAROON_FILE, config.LND_MACAROON_HEX);
  return address === undefined || macaroon === null ? null : { address, certificate, macaroon };
}
