/** The chapters of the API's description, in order, and what each is about. */
export const TAGS = {
  Invoices: "What a customer is asked to pay, and what came in.",
  Webhooks: "Endpoints of yours that are told of an invoice's events.",
  Deliveries: "What was sent to a webhook, when, and how it answered; sending it again.",
  Events: "The store's events in order, for a receiver that missed a webhook.",
  "Payment methods": "How a store is paid.",
  Rates: "What bitcoin costs now.",
  Stores: "A store's settings.",
  "API keys": "Who may use this API.",
  Server: "This installation: whether it works, and what it offers.",
} as const;

export type Tag = keyof typeof TAGS;
