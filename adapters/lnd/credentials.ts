import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { checkServerIdentity, createSecureContext } from "node:tls";
import { credentials, type ChannelCredentials } from "@grpc/grpc-js";
import { LndFailure } from "./failure";

/** A secret of LND: in a file, which is read again by later calls, or as hex. */
export type CredentialSource = { file: string } | { hex: string };

export interface LndCredentials {
  /** `tls.cert`, in PEM; null for one of an authority that the system trusts. */
  certificate: CredentialSource | null;
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

/** Null for none: the system's authorities decide. */
export function readCertificate({ certificate }: LndCredentials): Buffer | null {
  return certificate && bytesOf(certificate, "TLS certificate");
}

/**
 * Trusts only the certificate, and what it has signed. LND's own certificate is trusted under any name: it is
 * pinned, and its names are those that LND found at its first start. Without one the system's authorities are trusted.
 * `host`: the name of the connection.
 */
export function channelCredentials(pem: Buffer | null, host: string): ChannelCredentials {
  const pinned = pem && certificateOf(pem);
  // A context of our own: grpc-js would take the authorities of a variable of the environment that is for other programs.
  const context = createSecureContext(pem === null ? {} : { ca: pem });
  return credentials.createFromSecureContext(context, {
    checkServerIdentity: (_, shown) =>
      pinned?.raw.equals(shown.raw) === true ? undefined : checkServerIdentity(host, shown),
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
