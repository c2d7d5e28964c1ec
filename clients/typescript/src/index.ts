// What the package shows. Everything else may change without a new major version.
export { QuittanceClient } from "./client";
export type { ClientOptions, RequestOptions } from "./connection";
export {
  QuittanceConnectionError,
  QuittanceError,
  WebhookSignatureError,
  type FieldError,
  type ProblemCode,
} from "./errors";
export type { EventFeed, FeedEvent, FeedQuery, FollowOptions } from "./events";
export type {
  CreateInvoice,
  CreateInvoiceOptions,
  EditInvoice,
  HistoryEntry,
  Invoice,
  InvoiceExport,
  InvoiceFilter,
} from "./invoices";
export type { Page } from "./pages";
export type { Alert, ApiKey, ApiKeyWithText, ServerInfo, Store } from "./store";
export {
  verifyStandardWebhook,
  verifyWebhook,
  type VerifyStandardWebhookInput,
  type VerifyWebhookInput,
  type WebhookEvent,
} from "./verify-webhook";
export type {
  Delivery,
  DeliveryDetail,
  DeliveryFilter,
  DeliveryRequest,
  Webhook,
  WebhookWithSecret,
} from "./webhooks";
