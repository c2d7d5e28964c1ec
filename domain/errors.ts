/** Codes that a caller can act on. Stable, kebab-case: they are in problem details and in the CLI's errors. */
export const ERROR_CODES = [
  "malformed-request",
  "unauthenticated",
  "invalid-credentials",
  "store-mismatch",
  "admin-only",
  "dashboard-only",
  "plugin-key",
  "permission-missing",
  "role-insufficient",
  "reauthentication-needed",
  "second-factor-needed",
  "cross-site-request",
  "route-not-found",
  "store-not-found",
  "invoice-not-found",
  "webhook-not-found",
  "delivery-not-found",
  "api-key-not-found",
  "payment-method-not-found",
  "alert-not-found",
  "user-not-found",
  "session-not-found",
  "passkey-not-found",
  "link-not-found",
  "invitation-not-found",
  "method-not-allowed",
  "idempotency-conflict",
  "invalid-transition",
  "delivery-in-progress",
  "pruned",
  "wallet-in-use",
  "last-owner",
  "already-enabled",
  "limit-reached",
  "body-too-large",
  "unsupported-media-type",
  "validation-failed",
  "rate-limited",
  "rate-unavailable",
  "payment-method-unavailable",
  "unavailable",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One wrong field: an RFC 6901 pointer into the request and a sentence that says how to fix it. */
export interface FieldError {
  pointer: string;
  message: string;
}

/** A refusal that the caller can understand and fix. Anything else that is thrown is a defect or an outage. */
export class DomainError extends Error {
  override readonly name = "DomainError";
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly errors: readonly FieldError[] = [],
  ) {
    super(message);
  }
}

/** A `validation-failed` refusal of a single field. */
export function invalidField(pointer: string, message: string): DomainError {
  return new DomainError("validation-failed", message, [{ pointer, message }]);
}

/** The store's wallet is not the one that this service stored: no address is derived from it. */
export class WalletNotAuthenticError extends DomainError {
  constructor() {
    super(
      "payment-method-unavailable",
      "The store's wallet in the database is not the one that was set, so no address is derived from it. Ask an owner to set the wallet again.",
    );
  }
}

/**
 * `malformed`: its answer was invalid. For LND only: `locked` (its wallet waits for its password), `starting`, and
 * `forbidden` (the certificate or the macaroon is wrong, or the macaroon lacks a right).
 */
export type NodeFault = "away" | "malformed" | "locked" | "starting" | "forbidden";

/**
 * The node could not be asked, or could not answer yet (away, warming up, overloaded). Nothing may be concluded from
 * it. The message is in plain words without hosts or secrets.
 */
export class NodeUnavailableError extends Error {
  override readonly name = "NodeUnavailableError";
  constructor(
    message: string,
    readonly fault: NodeFault = "away",
  ) {
    super(message);
  }
}
