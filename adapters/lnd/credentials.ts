import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { checkServerIdentity, createSecureContext, type SecureContext } from "node:tls";
import { credentials, type ChannelCredentials } from "@grpc/grpc-js";
import { LndFailure } from "./failure";

/** A file is read again by later calls. */
export type CredentialSource = { file: string } | { hex: string } | { text: string };

export interface LndCredentials {
  /** PEM; null: signed by an authority that the system trusts. */
  certificate: CredentialSource | null;
  macaroon: CredentialSource;
}

function bytesOf(given: CredentialSource, what: string): Buffer {
  if ("hex" in given) return Buffer.from(given.hex, "hex");
  if ("text" in given) return Buffer.from(given.text);
  try {
    return readFileSync(given.file);
  } catch (error) {
    const { code = "unreadable" } = error as { code?: string };
    throw new LndFailure("unreadable", `the file with LND's ${what} cannot be read (${code})`);
  }
}

export function readMacaroon({ macaroon }: LndCredentials): string {
  const bytes = bytesOf(macaroon, "macaroon");
  if (bytes.length === 0) throw new LndFailure("unreadable", "the file with LND's macaroon is empty");
  return bytes.toString("hex");
}

/** Null: the system's authorities decide. */
export function readCertificate({ certificate }: LndCredentials): string | null {
  if (certificate === null) return null;
  // The same string, of which each connection keeps no copy.
  return "text" in certificate ? certificate.text : bytesOf(certificate, "TLS certificate").toString();
}

export interface TlsOptions {
  secureContext: SecureContext;
  checkServerIdentity: typeof checkServerIdentity;
}

/**
 * LND's own certificate is pinned, under any name, since its names are those of its first start. Null: the system's
 * authorities, for `host`.
 */
export function tlsOptions(pem: string | null, host: string): TlsOptions {
  // A string: the certificate itself takes 7 KB.
  const pinned = pem === null ? null : certificateOf(pem).fingerprint256;
  return {
    // grpc-js would take authorities from a variable that is for other programs.
    secureContext: pem === null ? (ofSystem ??= createSecureContext()) : createSecureContext({ ca: pem }),
    checkServerIdentity: (_, shown) =>
      pinned === shown.fingerprint256 ? undefined : checkServerIdentity(host, shown),
  };
}

let ofSystem: SecureContext | null = null;

/** With all that is connected by them. */
export interface Connecting {
  credentials: ChannelCredentials;
  /** Ends it at once. */
  end(): void;
}

/**
 * grpc-js leaves a connection open that it gives up before its first HTTP/2 frame, or that the other side does not end:
 * a node that hangs would take a socket more at each attempt.
 */
export function channelCredentials({ secureContext, ...verify }: TlsOptions): Connecting {
  const made = credentials.createFromSecureContext(secureContext, verify);
  const connector = made._createSecureConnector.bind(made);
  const sockets = new Set<Socket>();
  let ended = false;
  made._createSecureConnector = (...given) => {
    const secure = connector(...given);
    const connect = secure.connect.bind(secure);
    secure.connect = (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      if (ended) socket.destroy();
      return connect(socket);
    };
    return secure;
  };
  const end = (): void => {
    ended = true;
    for (const socket of sockets) socket.destroy();
  };
  return { credentials: made, end };
}

function certificateOf(pem: string): X509Certificate {
  try {
    if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error("not PEM");
    return new X509Certificate(pem);
  } catch {
    throw new LndFailure("unreadable", "the configured TLS certificate of LND is not a certificate in PEM");
  }
}
