import type { ErrorCode, FieldError } from "../../domain/errors";

/** What a caller can act on, and our own fault. */
export type ProblemCode = ErrorCode | "internal-error";

interface Kind {
  status: number;
  title: string;
}

export const PROBLEMS: Record<ProblemCode, Kind> = {
  "malformed-request": { status: 400, title: "The request cannot be read" },
  unauthenticated: { status: 401, title: "Valid credentials are needed" },
  "invalid-credentials": { status: 403, title: "The login is not right" },
  "store-mismatch": { status: 403, title: "The store is not there, or not the caller's" },
  "admin-only": { status: 403, title: "Only a server admin may do this" },
  "role-insufficient": { status: 403, title: "The user's role does not allow this" },
  "reauthentication-needed": {
    status: 403,
    title: "This has to be confirmed with a password, a code or a passkey",
  },
  "cross-site-request": { status: 403, title: "The request came from another site" },
  "route-not-found": { status: 404, title: "There is no such route" },
  "store-not-found": { status: 404, title: "There is no such store" },
  "invoice-not-found": { status: 404, title: "There is no such invoice" },
  "webhook-not-found": { status: 404, title: "There is no such webhook" },
  "delivery-not-found": { status: 404, title: "There is no such delivery" },
  "api-key-not-found": { status: 404, title: "There is no such API key" },
  "payment-method-not-found": { status: 404, title: "There is no such payment method" },
  "alert-not-found": { status: 404, title: "There is no such alert" },
  "user-not-found": { status: 404, title: "There is no such user" },
  "session-not-found": { status: 404, title: "There is no such session" },
  "passkey-not-found": { status: 404, title: "There is no such passkey" },
  "link-not-found": { status: 404, title: "The link is not good, or not any more" },
  "method-not-allowed": { status: 405, title: "The route does not know this method" },
  "idempotency-conflict": { status: 409, title: "The idempotency key was used for another request" },
  "invalid-transition": { status: 409, title: "The invoice cannot change in this way" },
  "delivery-in-progress": { status: 409, title: "The delivery is being sent" },
  pruned: { status: 409, title: "The body is no longer kept" },
  "last-owner": { status: 409, title: "Nobody else could do what this user can" },
  "already-enabled": { status: 409, title: "It is switched on already" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The body must be JSON" },
  "validation-failed": { status: 422, title: "The request is not valid" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "rate-unavailable": { status: 503, title: "There is no exchange rate now" },
  "payment-method-unavailable": { status: 503, title: "No payment method is available now" },
  unavailable: { status: 503, title: "The service is not available now" },
  "internal-error": { status: 500, title: "Something went wrong here" },
};

/** Problem details (RFC 9457). */
export interface Problem extends Kind {
  type: string;
  detail: string;
  code: ProblemCode;
  requestId: string;
  errors?: readonly FieldError[];
}

export function presentProblem(
  code: ProblemCode,
  told: { detail: string; requestId: string; errors?: readonly FieldError[] },
): Problem {
  const { status, title } = PROBLEMS[code];
  const { detail, requestId, errors = [] } = told;
  return {
    type: `urn:quittance:problem:${code}`,
    title,
    status,
    detail,
    code,
    requestId,
    ...(errors.length > 0 ? { errors } : {}),
  };
}
