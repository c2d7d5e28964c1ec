import { KEY_ACCESS } from "../../domain/account/key-access";
import type { ErrorCode } from "../../domain/errors";
import type { ProblemCode } from "./present-problem";
import { accessAllowed, type Operation, type Route } from "./route";

/** For an id in the path that does not exist. */
export const NOT_FOUND: Readonly<Record<string, ErrorCode>> = {
  invoiceId: "invoice-not-found",
  webhookId: "webhook-not-found",
  deliveryId: "delivery-not-found",
  keyId: "api-key-not-found",
  userId: "user-not-found",
  sessionId: "session-not-found",
  passkeyId: "passkey-not-found",
  alertId: "alert-not-found",
  reviewId: "review-not-found",
  linkId: "payment-link-not-found",
  invitedTo: "invitation-not-found",
};

const EVERY = ["rate-limited", "internal-error"] as const;
const WITH_KEY = ["unauthenticated", "plugin-key", "validation-failed", "unavailable"] as const;
const WITH_BODY = ["malformed-request", "body-too-large", "unsupported-media-type"] as const;

/** `"/stores/:storeId"` has `["storeId"]`. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

export function operationErrors(operation: Route | Operation): ProblemCode[] {
  const { path, body, errors = [] } = operation;
  const parameters = pathParameters(path);
  const notFound = parameters
    .filter((name) => name !== "storeId")
    .map((name) => NOT_FOUND[name] ?? "route-not-found");
  const codes: ProblemCode[] = [
    ...EVERY,
    ...("handle" in operation ? WITH_KEY : []),
    ...("handle" in operation && accessAllowed(operation).length < KEY_ACCESS.length
      ? (["permission-missing"] as const)
      : []),
    ...(parameters.includes("storeId") ? (["store-mismatch"] as const) : []),
    ...(body === null ? [] : WITH_BODY),
    ...notFound,
    ...errors,
  ];
  return [...new Set(codes)];
}
