import { X509Certificate } from "node:crypto";
import { invalidField } from "../errors";
import { cleaned } from "../wallet/wallet-text";

/** As a person has it: one of the first two, or the parts. */
export interface GivenAccess {
  /** `lndconnect://host:port?cert=…&macaroon=…`, or BTCPay Server's `type=lnd-rest;server=…;macaroon=…`. */
  lndconnect?: string | undefined;
  address?: string | undefined;
  tlsCertificate?: string | undefined;
  macaroon?: string | undefined;
}

export type AccessField = "address" | "tlsCertificate" | "macaroon";

export interface ReadAccess {
  /** `host:port` */
  address: string;
  /** PEM; null: the system's authorities decide. */
  certificate: string | null;
  /** Hex. */
  macaroon: string;
}

const NOT_A_URI =
  "This is neither an lndconnect URI (lndconnect://host:port?cert=…&macaroon=…) nor BTCPay Server's connection string (type=lnd-rest;server=…;macaroon=…).";
const REST_ADDRESS =
  "BTCPay Server's string has the address of LND's REST. Enter that of its gRPC here: the same host, and usually the port 10009.";

/** @throws DomainError `validation-failed` that names the field. */
export function readNodeAccess({ lndconnect, ...fields }: GivenAccess): ReadAccess {
  const given = lndconnect === undefined ? {} : partsOf(cleaned(lndconnect));
  const pointer = (field: AccessField): string => fieldPointer({ lndconnect, ...fields }, field);
  const parts = { ...given, ...present(fields) };
  const { address, tlsCertificate, macaroon } = parts;
  if (address === undefined)
    throw invalidField(
      "/address",
      lndconnect === undefined ? "Enter the node's host and port." : REST_ADDRESS,
    );
  if (macaroon === undefined)
    throw invalidField(pointer("macaroon"), "The macaroon is missing: send it as hex or base64.");
  return {
    address: readAddress(address, pointer("address")),
    certificate:
      tlsCertificate === undefined ? null : readCertificate(tlsCertificate, pointer("tlsCertificate")),
    macaroon: readMacaroon(macaroon, pointer("macaroon")),
  };
}

/** Where a person has to change it. */
export function fieldPointer(given: GivenAccess, field: AccessField): string {
  return given[field] === undefined && given.lndconnect !== undefined ? "/lndconnect" : `/${field}`;
}

type Parts = Partial<Record<AccessField, string>>;

const present = (fields: GivenAccess): Parts =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== undefined && text !== ""));

function partsOf(text: string): Parts {
  const uri = /^lndconnect:\/\/([^/?#]+)\/?\?([^#]*)$/i.exec(text);
  if (uri !== null) {
    const query = new URLSearchParams(uri[2]);
    // In a query `+` means a blank; some write it for base64.
    const valueOf = (name: string): string | undefined => query.get(name)?.replaceAll(" ", "+");
    return present({ address: uri[1], tlsCertificate: valueOf("cert"), macaroon: valueOf("macaroon") });
  }
  if (/^type=/i.test(text)) return btcpayParts(text);
  throw invalidField("/lndconnect", NOT_A_URI);
}

function btcpayParts(text: string): Parts {
  const pairs = text.split(";").map((pair) => /^\s*([^=]*)=(.*)$/.exec(pair)?.slice(1) ?? []);
  const { type, macaroon } = Object.fromEntries(
    pairs.map(([key = "", value = ""]) => [key.trim().toLowerCase(), value.trim()]),
  ) as Record<string, string | undefined>;
  if (type !== "lnd-rest")
    throw invalidField(
      "/lndconnect",
      `BTCPay Server's string is of the type ${(type ?? "").slice(0, 40)}: only LND (lnd-rest) can be connected.`,
    );
  return present({ macaroon });
}

const HOST = "[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\\.?";
const ADDRESS = new RegExp(`^(?:https?://)?(${HOST}|\\[[0-9a-f:.]+\\])(?::(\\d{1,5}))?/?$`, "i");

/** Lower case, without a scheme. */
function readAddress(text: string, pointer: string): string {
  const [, host, port] = ADDRESS.exec(cleaned(text)) ?? [];
  if (host === undefined)
    throw invalidField(
      pointer,
      "The node's address must be a host name or an IP address and a port, such as node.example.com:10009.",
    );
  if (port === undefined)
    throw invalidField(pointer, "The node's address has no port. LND's gRPC usually has 10009.");
  if (Number(port) < 1 || Number(port) > 65_535)
    throw invalidField(pointer, "The port must be from 1 to 65535.");
  return `${host.toLowerCase()}:${Number(port)}`;
}

const HEX = /^(?:[0-9a-f]{2})+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Null for neither hex nor base64. */
function bytesOf(text: string): Buffer | null {
  const bare = cleaned(text).replace(/\s/g, "");
  if (HEX.test(bare)) return Buffer.from(bare, "hex");
  return BASE64.test(bare) ? Buffer.from(bare, "base64") : null;
}

function readMacaroon(text: string, pointer: string): string {
  const bytes = bytesOf(text);
  if (bytes === null) throw invalidField(pointer, "The macaroon must be hex or base64, or its file.");
  return bytes.toString("hex");
}

const NO_CERTIFICATE =
  "This is not a certificate: send LND's tls.cert as PEM, hex or base64, or none if an authority has signed it.";
const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const CERTIFICATES_MAX = 5;

/** PEM, in a uniform way. */
function readCertificate(text: string, pointer: string): string {
  const bytes = text.includes("-----BEGIN") ? Buffer.from(text) : bytesOf(text);
  const pem = bytes?.toString("latin1") ?? "";
  if (pem.includes("PRIVATE KEY-----"))
    throw invalidField(
      pointer,
      "This contains a private key (tls.key). Send only the certificate, tls.cert.",
    );
  const blocks: (string | Buffer)[] = pem.match(BLOCK) ?? (bytes === null ? [] : [bytes]);
  try {
    if (blocks.length === 0 || blocks.length > CERTIFICATES_MAX) throw new Error(NO_CERTIFICATE);
    for (const block of blocks) describeCertificate(block);
    return blocks.map((block) => new X509Certificate(block).toString()).join("");
  } catch {
    throw invalidField(pointer, NO_CERTIFICATE);
  }
}

export interface CertificateFacts {
  /** `DNS:localhost`, `IP Address:127.0.0.1` */
  names: string;
  validFrom: Date;
  validTo: Date;
}

/** The first one in the text. @throws where it is none, or its dates are none. */
export function describeCertificate(pem: string | Buffer): CertificateFacts {
  const certificate = new X509Certificate(pem);
  const { subjectAltName, subject } = certificate;
  const validFrom = new Date(certificate.validFrom);
  const validTo = new Date(certificate.validTo);
  if (Number.isNaN(validFrom.getTime() + validTo.getTime())) throw new RangeError(NO_CERTIFICATE);
  const names = (subjectAltName ?? subject.replaceAll("\n", ", ")).slice(0, NAMES_MAX);
  return { names, validFrom, validTo };
}

const NAMES_MAX = 300;
const SOON_MS = 14 * 86_400_000;

/** Within 14 days, or it has expired. */
export function expiresSoon({ validTo }: Pick<CertificateFacts, "validTo">, now: Date): boolean {
  return validTo.getTime() - now.getTime() < SOON_MS;
}
