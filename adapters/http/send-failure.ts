/** A failure with a code. */
export class SendFailure extends Error {
  override readonly name = "SendFailure";
  constructor(readonly errorCode: string) {
    super(errorCode);
  }
}

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection-refused",
  ECONNRESET: "connection-reset",
  EPIPE: "connection-reset",
  ETIMEDOUT: "timeout",
  ERR_SOCKET_CONNECTION_TIMEOUT: "timeout",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EHOSTDOWN: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  ENOTFOUND: "dns-failed",
  ENODATA: "dns-failed",
  EPROTO: "tls-invalid",
};
const DNS = /^EAI_/;
/** OpenSSL's names of certificate problems, and Node's for the handshake. */
const TLS =
  /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_|_SIGNATURE|CRL|^INVALID_CA$|^INVALID_PURPOSE$|^PATH_LENGTH_EXCEEDED$|^HOSTNAME_MISMATCH$/;
/** Node's HTTP parser. */
const HTTP = /^HPE_/;

/**
 * The code to record for a fault of an endpoint: short, stable, without addresses or secrets. Any other error
 * (without a system code, or a misuse of Node's API) is rethrown.
 */
export function errorCode(error: unknown): string {
  if (error instanceof SendFailure) return error.errorCode;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = CODES[code];
  if (known !== undefined) return known;
  if (DNS.test(code)) return "dns-failed";
  if (TLS.test(code)) return "tls-invalid";
  if (HTTP.test(code)) return "invalid-response";
  if (code === "" || code.startsWith("ERR_INVALID_")) throw error;
  return "connection-failed";
}
