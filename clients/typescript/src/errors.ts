import type { components } from "./generated";

export type Problem = components["schemas"]["Problem"];
/** Stable codes; `unexpected-answer` is what something between you and the service answered. */
export type ProblemCode = Problem["code"] | "unexpected-answer";
export type FieldError = NonNullable<Problem["errors"]>[number];

/** The service refused, or failed: its problem details (RFC 9457). */
export class QuittanceError extends Error {
  override readonly name = "QuittanceError";
  /** HTTP status. */
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
  /** The request's errors, field by field. */
  readonly errors: readonly FieldError[];
  /** Names the request in the service's log. */
  readonly requestId: string | null;
  /** Seconds to wait before the next try, where the service says so. */
  readonly retryAfter: number | null;

  constructor(
    problem: Pick<Problem, "status" | "title" | "detail"> & { code: ProblemCode; errors?: FieldError[] },
    { requestId, retryAfter }: { requestId: string | null; retryAfter: number | null },
  ) {
    const { status, code, title, detail, errors = [] } = problem;
    super(`${code}: ${detail}`);
    this.status = status;
    this.code = code;
    this.title = title;
    this.detail = detail;
    this.errors = errors;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** No answer came. Whether the request was carried out is not known: read before you repeat it, or send an idempotency key. */
export class QuittanceConnectionError extends Error {
  override readonly name = "QuittanceConnectionError";
  constructor(
    readonly reason: "timeout" | "network",
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The signature does not fit: answer 401 and do nothing. */
export class WebhookSignatureError extends Error {
  override readonly name = "WebhookSignatureError";
}
