import { status } from "@grpc/grpc-js";
import { NodeUnavailableError, type NodeFault } from "../../domain/errors";

/** The first five are LND's answers about an invoice or a right, the others no answer. */
const FAULTS = {
  duplicate: "malformed",
  "not-found": "malformed",
  settled: "malformed",
  accepted: "malformed",
  "right-missing": "forbidden",
  "macaroon-refused": "forbidden",
  certificate: "forbidden",
  unreadable: "forbidden",
  locked: "locked",
  starting: "starting",
  late: "away",
  /** Something else at LND's address. */
  "not-grpc": "away",
  away: "away",
  /** A store's node: its host name has no address, or one that this server does not connect to. */
  unresolved: "away",
  refused: "away",
  "too-large": "malformed",
  malformed: "malformed",
} as const satisfies Record<string, NodeFault>;
export type Meaning = keyof typeof FAULTS;

/** The message names no host and no secret. */
export class LndFailure extends NodeUnavailableError {
  constructor(
    readonly meaning: Meaning,
    message: string,
    override readonly cause?: LndFailure,
  ) {
    super(message, FAULTS[meaning]);
  }
}

export const NO_ANSWER = "LND did not answer in time";

/** No other program gives such an answer. */
export const isOfLnd = ({ meaning }: LndFailure): boolean => OF_LND.includes(meaning);
const OF_LND: readonly Meaning[] = [
  ...(["duplicate", "not-found", "settled", "accepted"] as const),
  ...(["right-missing", "macaroon-refused", "locked", "starting"] as const),
];

/**
 * LND gives most refusals the code UNKNOWN: each text is listed with its place in LND's source; tests with a real LND
 * detect changes.
 */
const WORDS: readonly (readonly [words: RegExp, meaning: Meaning])[] = [
  [/invoice with payment hash already exists/, "duplicate"], // invoices: ErrDuplicateInvoice
  [/unable to locate invoice|there are no existing invoices/, "not-found"], // invoices: ErrInvoiceNotFound, ErrNoInvoicesCreated
  [/invoice already settled/, "settled"], // invoices: ErrInvoiceAlreadySettled
  [/invoice already accepted/, "accepted"], // invoices: ErrInvoiceAlreadyAccepted
  [/wallet locked|wallet not created|macaroon store is locked/, "locked"], // rpcperms: ErrWalletLocked, ErrNoWallet; macaroons: ErrStoreLocked
  [
    /waiting to start|in the process of starting up|server not active yet|still in the process of starting/,
    "starting",
  ], // rpcperms: ErrWaitingToStart, ErrRPCStarting; lnd: ErrServerNotActive
  [/^permission denied$/, "right-missing"], // macaroon-bakery: ErrPermissionDenied
  [
    /permission denied|verification failed|cannot get macaroon|root key|macaroon|caveat|invalid ID|unmarshal/,
    "macaroon-refused",
  ], // macaroon-bakery, macaroons: a macaroon of another node, or a broken, expired or revoked one
];

const BY_CODE = new Map<number, Meaning>([
  [status.UNAVAILABLE, "away"],
  [status.CANCELLED, "away"],
  [status.DEADLINE_EXCEEDED, "late"],
  [status.NOT_FOUND, "not-found"],
  [status.ALREADY_EXISTS, "duplicate"],
  [status.RESOURCE_EXHAUSTED, "too-large"],
]);
const BY_CODE_ALONE = new Map<number, Meaning>([
  [status.PERMISSION_DENIED, "right-missing"],
  [status.UNAUTHENTICATED, "macaroon-refused"],
]);

/** grpc-js reports the reason only by text. */
const CERTIFICATE = /certificate|altnames|unknown ca/i;
const NO_HTTP_2 =
  "what answers at LND's address speaks no HTTP/2: LND's REST port, or a proxy without HTTP/2";
const NOT_GRPC: readonly (readonly [words: RegExp, what: string])[] = [
  [/no application protocol|Last error: Protocol error/, NO_HTTP_2],
  [/^Received HTTP status code 50[234]/, "the proxy at LND's address does not reach LND"],
  [
    /^Received HTTP status code|ended without gRPC status/,
    "what answers at LND's address is not its gRPC: LND's REST port, or a proxy that does not pass gRPC on",
  ],
  [/wrong version number/, "what answers at LND's address speaks no TLS"],
  [/\bSSL\b|tlsv1|EPROTO/, "what answers at LND's address has no version of TLS in common with this service"],
];
const SYSTEM_CODE = /\bE[A-Z]{4,}\b/;

interface GrpcError {
  code: number;
  details: string;
}

const isGrpcError = (error: unknown): error is GrpcError =>
  error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;

/** `right`: needed, by LND's name. `bySystem`: no certificate is configured. */
export function failureOf(error: unknown, right: string | null, bySystem = false): LndFailure {
  if (error instanceof LndFailure) return error;
  if (!isGrpcError(error)) return new LndFailure("malformed", "LND's answer cannot be read");
  const meaning = meaningOf(error);
  return new LndFailure(meaning, wordsOf(meaning, error, { right, bySystem }));
}

function meaningOf({ code, details }: GrpcError): Meaning {
  if (code === Number(status.UNAVAILABLE) && CERTIFICATE.test(details)) return "certificate";
  if (notGrpc(details) !== undefined) return "not-grpc";
  return (
    BY_CODE.get(code) ??
    WORDS.find(([words]) => words.test(details))?.[1] ??
    BY_CODE_ALONE.get(code) ??
    "malformed"
  );
}

const notGrpc = (details: string): string | undefined => NOT_GRPC.find(([words]) => words.test(details))?.[1];

function reasonIn(details: string): string {
  if (details.startsWith("Name resolution failed")) return "its host name does not resolve";
  return SYSTEM_CODE.exec(details)?.[0] ?? "no connection";
}

function wordsOf(
  meaning: Meaning,
  { code, details }: GrpcError,
  { right, bySystem }: { right: string | null; bySystem: boolean },
): string {
  switch (meaning) {
    case "duplicate":
      return "LND already has an invoice with this payment hash";
    case "not-found":
      return "LND does not know the invoice";
    case "settled":
      return "the invoice is settled in LND";
    case "accepted":
      return "the invoice is being paid in LND";
    case "right-missing":
      return `LND's macaroon lacks the permission ${right ?? "for this call"}`;
    case "macaroon-refused":
      return "LND refuses the macaroon: it belongs to another node, or is expired, revoked or damaged";
    case "certificate":
      return bySystem
        ? "LND's TLS certificate is of no authority that the system trusts for this host: set LND_TLS_CERT_FILE to LND's tls.cert"
        : "LND's TLS certificate is not the configured one";
    case "not-grpc":
      return notGrpc(details) ?? NO_HTTP_2;
    case "unreadable":
      return "LND's certificate or macaroon cannot be used";
    case "locked":
      return "LND's wallet is locked";
    case "starting":
      return "LND is starting";
    case "unresolved":
    case "refused":
      return "LND's address cannot be used";
    case "late":
      return NO_ANSWER;
    case "away":
      return `LND does not answer (${reasonIn(details)})`;
    case "too-large":
      return "LND's answer is too large";
    case "malformed":
      // LND's own text may name hosts and invoices.
      return `LND refuses the call (${status[code] ?? String(code)})`;
  }
}
