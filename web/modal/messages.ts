/** What the checkout's page and modal.js say to each other by postMessage: each to the other's exact origin. */
interface Head {
  source: "quittance";
  version: 1;
}

/** From the shop's page: it is ready for messages. */
export interface Hello extends Head {
  type: "hello";
}

export type InvoiceStatus = "New" | "Processing" | "Settled" | "Expired" | "Invalid";

/** The invoice's state. `phase` is finer than `status` and may get more values. */
export interface Standing {
  invoiceId: string;
  status: InvoiceStatus;
  phase: string;
}

/**
 * From the checkout's page. `close`: the customer closes it. `return`: the invoice says to redirect to its
 * redirectUrl.
 */
export type FrameMessage = Head &
  Standing &
  ({ type: "ready" | "status" | "close" } | { type: "return"; url: string });
