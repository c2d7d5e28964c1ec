/** Interface specification, sections 3 and 6. */
export const INVOICE_STATUSES = ["New", "Processing", "Settled", "Expired", "Invalid"] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const ADDITIONAL_STATUSES = ["None", "Underpaid", "Overpaid", "PaidAfterExpiration"] as const;
export type AdditionalStatus = (typeof ADDITIONAL_STATUSES)[number];

/** Webhook event types carry the names of the states. */
export const EVENT_TYPES = INVOICE_STATUSES;
export type EventType = InvoiceStatus;

export const MARKS = ["Settled", "Invalid"] as const;
export type Mark = (typeof MARKS)[number];

export const PAYMENT_METHODS = ["BTC-CHAIN", "BTC-LN"] as const;
export type PaymentMethodType = (typeof PAYMENT_METHODS)[number];

export const PAYMENT_STATES = ["pending", "confirmed", "replaced", "evicted"] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
