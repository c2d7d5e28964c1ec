import type { ErrorCode, FieldError } from "../../domain/errors";

export type ProblemCode = ErrorCode | "internal-error";

interface Kind {
  status: number;
  title: string;
}

export const PROBLEMS: Record<ProblemCode, Kind> = {
  "malformed-request": { status: 400, title: "Malformed request" },
  unauthenticated: { status: 401, title: "Authentication required" },
  "invalid-credentials": { status: 403, title: "Invalid credentials" },
  "store-mismatch": { status: 403, title: "No access to this store" },
  "admin-only": { status: 403, title: "Server admins only" },
  "dashboard-only": { status: 403, title: "Only available in the dashboard" },
  "plugin-key": { status: 403, title: "This API key is for shop plugins" },
  "permission-missing": { status: 403, title: "This API key's access does not allow this" },
  "role-insufficient": { status: 403, title: "Your role does not allow this" },
  "reauthentication-needed": {
    status: 403,
    title: "Confirm with a password, a code or a passkey",
  },
  "second-factor-needed": { status: 403, title: "Set up a second factor first" },
  "cross-site-request": { status: 403, title: "Cross-site request" },
  "route-not-found": { status: 404, title: "Route not found" },
  "store-not-found": { status: 404, title: "Store not found" },
  "invoice-not-found": { status: 404, title: "Invoice not found" },
  "webhook-not-found": { status: 404, title: "Webhook not found" },
  "delivery-not-found": { status: 404, title: "Delivery not found" },
  "api-key-not-found": { status: 404, title: "API key not found" },
  "payment-method-not-found": { status: 404, title: "Payment method not found" },
  "payment-link-not-found": { status: 404, title: "Payment link not found" },
  "alert-not-found": { status: 404, title: "Alert not found" },
  "review-not-found": { status: 404, title: "Review not found" },
  "user-not-found": { status: 404, title: "User not found" },
  "session-not-found": { status: 404, title: "Session not found" },
  "passkey-not-found": { status: 404, title: "Passkey not found" },
  "invitation-not-found": { status: 404, title: "Invitation not found" },
  "link-not-found": { status: 404, title: "This link is invalid or has expired" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "idempotency-conflict": { status: 409, title: "The idempotency key was used for another request" },
  "invalid-transition": { status: 409, title: "The invoice's status does not allow this" },
  "review-resolved": { status: 409, title: "The review is already resolved" },
  "review-changed": { status: 409, title: "More was paid meanwhile" },
  "refund-recorded": { status: 409, title: "The refund is recorded already" },
  "delivery-in-progress": { status: 409, title: "The delivery is in progress" },
  pruned: { status: 409, title: "The body is no longer stored" },
  "wallet-in-use": { status: 409, title: "Another store uses this wallet" },
  "last-owner": { status: 409, title: "The last owner or admin cannot be removed" },
  "limit-reached": { status: 409, title: "Limit reached" },
  "already-enabled": { status: 409, title: "Already enabled" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "Unsupported media type" },
  "validation-failed": { status: 422, title: "Validation failed" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "rate-unavailable": { status: 503, title: "No exchange rate available" },
  "payment-method-unavailable": { status: 503, title: "No payment method available" },
  unavailable: { status: 503, title: "Service unavailable" },
  "internal-error": { status: 500, title: "Internal error" },
};

/** RFC 9457. */
export interface Problem extends Kind {
  type: string;
  detail: string;
  code: ProblemCode;
  requestId: string;
  errors?: readonly FieldError[];
}

export function presentProblem(
  code: ProblemCode,
  content: { detail: string; requestId: string; errors?: readonly FieldError[] },
): Problem {
  const { status, title } = PROBLEMS[code];
  const { detail, requestId, errors = [] } = content;
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
