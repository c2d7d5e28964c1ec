/** Stable, kebab-case: in problem details and the CLI's errors. */
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
  "payment-link-not-found",
  "alert-not-found",
  "review-not-found",
  "user-not-found",
  "session-not-found",
  "passkey-not-found",
  "link-not-found",
  "invitation-not-found",
  "method-not-allowed",
  "idempotency-conflict",
  "invalid-transition",
  "review-resolved",
  "review-changed",
  "refund-recorded",
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

/** `pointer`: RFC 6901, into the request; `message` says how to fix it. */
export interface FieldError {
  pointer: string;
  message: string;
}

/** In a sentence: what is wrong with which field. */
export const inWords = ({ pointer, message }: FieldError): string => `${pointer || "The body"}: ${message}`;

/** A refusal that the caller can fix. Anything else that is thrown is a defect or an outage. */
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

export function invalidField(pointer: string, message: string): DomainError {
  return new DomainError("validation-failed", message, [{ pointer, message }]);
}

/** The store's wallet is not as this service stored it: no address is derived from it. */
export class WalletNotAuthenticError extends DomainError {
  constructor() {
    super(
      "payment-method-unavailable",
      "The store's wallet in the database is not the one that was set, so no address is derived from it. Ask an owner to set the wallet again.",
    );
  }
}

/**
 * `malformed`: an invalid answer. LND alone: `locked` (waits for its password), `starting`, `forbidden` (certificate,
 * macaroon or its rights), and `changed` (another node than the store's).
 */
export type NodeFault = "away" | "malformed" | "locked" | "starting" | "forbidden" | "changed";

/** The node did not answer: nothing may be concluded. The message has no hosts and no secrets. */
export class NodeUnavailableError extends Error {
  override readonly name = "NodeUnavailableError";
  constructor(
    message: string,
    readonly fault: NodeFault = "away",
  ) {
    super(message);
  }
}
