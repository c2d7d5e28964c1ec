import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { checkServerIdentity } from "node:tls";
import { credentials, type ChannelCredentials } from "@grpc/grpc-js";
import { LndFailure } from "./failure";

/** A secret of LND: in a file, which is read again by later calls, or as hex. */
export type CredentialSource = { file: string } | { hex: string };

export interface LndCredentials {
  /** `tls.cert`, in PEM. */
  certificate: CredentialSource;
  macaroon: CredentialSource;
}

function bytesOf(given: CredentialSource, what: string): Buffer {
  if ("hex" in given) return Buffer.from(given.hex, "hex");
  try {
    return readFileSync(given.file);
  } catch (error) {
    const { code = "unreadable" } = error as { code?: string };
    throw new LndFailure("unreadable", `the file with LND's ${what} cannot be read (${code})`);
  }
}

/** In the form of a call's metadata. */
export function readMacaroon({ macaroon }: LndCredentials): string {
  const bytes = bytesOf(macaroon, "macaroon");
  if (bytes.length === 0) throw new LndFailure("unreadable", "the file with LND's macaroon is empty");
  return bytes.toString("hex");
}

export function readCertificate({ certificate }: LndCredentials): Buffer {
  return bytesOf(certificate, "TLS certificate");
}

/**
 * Trusts only the certificate, and what it has signed. LND's own certificate is trusted under any name: it is
 * pinned, and its names are those that LND found at its first start. `host`: the name of the connection.
 */
export function channelCredentials(pem: Buffer, host: string): ChannelCredentials {
  const pinned = certificateOf(pem);
  return credentials.createSsl(pem, null, null, {
    checkServerIdentity: (_, shown) =>
      pinned.raw.equals(shown.raw) ? undefined : checkServerIdentity(host, shown),
  });
}

function certificateOf(pem: Buffer): X509Certificate {
  try {
    if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error("not PEM");
    return new X509Certificate(pem);
  } catch {
    throw new LndFailure("unreadable", "the configured TLS certificate of LND is not a certificate in PEM");
  }
}
