export const TAGS = {
  Invoices: "What a customer has to pay, and what was paid.",
  Payments: "The books: confirmed payments and recorded refunds.",
  Reviews: "What waits for a person's decision, and what was decided.",
  "Payment links": "Public pages that create invoices.",
  Webhooks: "Your endpoints, which receive an invoice's events.",
  Deliveries: "What was sent to a webhook and when, how it responded, and redelivery.",
  Events: "The store's events in order, for a receiver that missed a webhook.",
  "Payment methods": "The payment methods of a store.",
  Rates: "Current exchange rates.",
  Stores: "A store's settings.",
  "API keys": "Credentials of this API.",
  Server: "This installation: its health, version and payment methods.",
} as const;

export type Tag = keyof typeof TAGS;
