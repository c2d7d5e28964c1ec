import type { WebhookAnswer, WebhookRequest } from "../../commands/ports";

/** A POST as a merchant's server got it. */
export interface Got {
  eventId: string;
  deliveryId: string;
  attempt: string;
  invoiceId: string;
  body: Buffer;
}

/** What a merchant's server does with what it gets. `refuses`: nothing arrives. */
export type Manner = "accepts" | "fails" | "hangs" | "resets" | "refuses";

const ANSWERS: Record<Manner, Pick<WebhookAnswer, "outcome" | "httpStatus" | "error" | "durationMs">> = {
  accepts: { outcome: "delivered", httpStatus: 200, error: null, durationMs: 30 },
  fails: { outcome: "failed", httpStatus: 500, error: "http-500", durationMs: 30 },
  hangs: { outcome: "failed", httpStatus: null, error: "timeout", durationMs: 10_000 },
  resets: { outcome: "failed", httpStatus: null, error: "connection-reset", durationMs: 30 },
  refuses: { outcome: "failed", httpStatus: null, error: "connection-refused", durationMs: 1 },
};

/** A merchant's server, which keeps all that it got in the order in which it came. */
export class Merchant {
  readonly got: Got[] = [];
  /** Since the last page of the story it was not always well. */
  erred = false;
  #manner: Manner = "accepts";

  get manner(): Manner {
    return this.#manner;
  }

  set manner(manner: Manner) {
    this.#manner = manner;
    this.erred ||= manner !== "accepts";
  }

  /** What the service's HTTP client would answer. */
  receive({ headers, body }: WebhookRequest): WebhookAnswer {
    if (this.#manner !== "refuses") this.got.push(gotOf(headers, body));
    return { ...ANSWERS[this.#manner], responseBody: null, resolvedIp: "203.0.113.1" };
  }
}

/** What the service hears where the merchant's answer was lost, or its request never left. */
export const UNSENT: WebhookAnswer = { ...ANSWERS.refuses, responseBody: null, resolvedIp: null };
export const UNHEARD: WebhookAnswer = { ...ANSWERS.hangs, responseBody: null, resolvedIp: null };

function gotOf(headers: Record<string, string>, body: Buffer): Got {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { invoiceId } = JSON.parse(body.toString()) as { invoiceId: string };
  return {
    eventId: String(lower["x-service-event-id"]),
    deliveryId: String(lower["x-service-delivery-id"]),
    attempt: String(lower["x-service-attempt"]),
    invoiceId,
    body: Buffer.from(body),
  };
}
