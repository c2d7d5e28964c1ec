/** The chapters of the API's description, in order, and what each is about. */
export const TAGS = {
  Invoices: "What a customer is asked to pay, and what was paid.",
  Webhooks: "Your endpoints, which receive an invoice's events.",
  Deliveries: "What was sent to a webhook, when, and its response; redelivery.",
  Events: "The store's events in order, for a receiver that missed a webhook.",
  "Payment methods": "How a store is paid.",
  Rates: "Current exchange rates.",
  Stores: "A store's settings.",
  "API keys": "Credentials of this API.",
  Server: "This installation: its health, and what it offers.",
} as const;

export type Tag = keyof typeof TAGS;
