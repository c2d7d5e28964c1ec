import type {
  deliveryAnswer,
  deliveryDetailAnswer,
  deliveryRequestAnswer,
} from "../../../api/webhooks/delivery-answer";
import type { webhookAnswer, webhookWithSecret } from "../../../api/webhooks/answer";
import type { Answer } from "./shapes";

export type Webhook = Answer<typeof webhookAnswer>;
export type WebhookWithSecret = Answer<typeof webhookWithSecret>;
export type Delivery = Answer<typeof deliveryAnswer>;
export type DeliveryDetail = Answer<typeof deliveryDetailAnswer>;
export type Attempt = DeliveryDetail["attempts"][number];
export type DeliveryRequest = Answer<typeof deliveryRequestAnswer>;
export type EventType = Webhook["events"][number];

/** In the order of an invoice's life. */
export const EVENTS: readonly (readonly [type: EventType, when: string])[] = [
  ["New", "An invoice was created."],
  ["Processing", "It is paid in full and waits for confirmations."],
  ["Settled", "It is paid, and the order can be released."],
  ["Expired", "It expired before it was paid in full."],
  ["Invalid", "It does not count as paid."],
];

export const webhooksPath = (storeId: string): string => `/stores/${storeId}/webhooks`;

interface WebhookName {
  storeId: string;
  webhookId: string;
}

export const webhookPath = ({ storeId, webhookId }: WebhookName): string =>
  `${webhooksPath(storeId)}/${encodeURIComponent(webhookId)}`;
export const deliveriesPath = (webhook: WebhookName): string => `${webhookPath(webhook)}/deliveries`;
export const deliveryPath = ({ deliveryId, ...webhook }: WebhookName & { deliveryId: string }): string =>
  `${deliveriesPath(webhook)}/${encodeURIComponent(deliveryId)}`;

export function eventsOf({ dialect, events }: Pick<Webhook, "dialect" | "events">): string {
  if (dialect === "greenfield") return "of shop plugins";
  return events.length === EVENTS.length ? "all" : events.join(", ");
}

export function eventOf({
  type,
  additionalStatus,
  dialectType,
}: Pick<Delivery, "type" | "additionalStatus" | "dialectType">): string {
  return dialectType ?? (additionalStatus === "None" ? type : `${type} · ${additionalStatus}`);
}

/** It cannot be sent again before its answer. */
export const isUnderWay = ({ state }: Pick<Delivery, "state">): boolean =>
  state === "pending" || state === "sending";

const MEANINGS: Readonly<Record<string, string>> = {
  "address-refused": "The endpoint's host has a private or special address.",
  "connection-refused": "Nothing listens at the endpoint's address.",
  "connection-reset": "The endpoint closed the connection.",
  "connection-failed": "The connection to the endpoint failed.",
  "dns-failed": "The endpoint's host was not found.",
  "held-after-restore":
    "Not sent: the service was restored from a backup. The endpoint may have received the same event before.",
  "internal-error": "The delivery failed. The server's log says why.",
  interrupted: "The service stopped during the delivery. The endpoint may have received it.",
  "invalid-response":
    "The endpoint's response is not HTTP, or has too many headers or interim answers (1xx).",
  "invalid-url": "The endpoint's URL cannot be called.",
  overtaken: "Not sent again: the shop has received a later state of the invoice.",
  "secret-unreadable": "Not sent: the webhook's secret cannot be read with the server's APP_SECRET.",
  timeout: "The endpoint did not answer in time.",
  "tls-invalid": "The endpoint's TLS certificate or encryption is invalid.",
  unreachable: "There is no route to the endpoint's address.",
};

export function meaningOf(error: string): string {
  const status = /^http-(\d{3})$/.exec(error)?.[1];
  if (status === undefined) return MEANINGS[error] ?? error;
  return status.startsWith("3")
    ? `The endpoint answered ${status}: redirects are not followed. Enter the URL that it redirects to.`
    : `The endpoint answered ${status}. Only 200 to 299 count as received.`;
}
