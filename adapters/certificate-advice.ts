/** OpenSSL's names, and Node's. */
const CERTIFICATE = /CERT|^UNABLE_TO_|_SIGNATURE|CRL|^INVALID_CA$|^INVALID_PURPOSE$|^HOSTNAME_MISMATCH$/;

const HOW_TO_TRUST = {
  Postgres: "add sslrootcert=/path/ca.pem to DATABASE_URL, beside sslmode=verify-full",
  Redis:
    "set NODE_EXTRA_CA_CERTS=/path/ca.pem in the environment of all apps and commands (.env is read too late for it)",
} as const;

/** Null for another error. */
export function certificateAdvice(error: unknown, server: keyof typeof HOW_TO_TRUST): string | null {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return CERTIFICATE.test(code)
    ? `The certificate of ${server} is refused (${code}). If an authority of your own has signed it, ${HOW_TO_TRUST[server]}. The URL must have a name that is in the certificate.`
    : null;
}
