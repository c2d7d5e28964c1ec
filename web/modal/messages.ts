/** By postMessage, to the other's exact origin. */
interface Head {
  source: "quittance";
  version: 1;
}

/** The shop's page is ready for messages. */
export interface Hello extends Head {
  type: "hello";
}

export type InvoiceStatus = "New" | "Processing" | "Settled" | "Expired" | "Invalid";

/** `phase` is finer than `status` and may get more values. */
export interface Standing {
  invoiceId: string;
  status: InvoiceStatus;
  phase: string;
}

/** `close`: by the customer; `return`: to the invoice's redirectUrl. */
export type FrameMessage = Head &
  Standing &
  ({ type: "ready" | "status" | "close" } | { type: "return"; url: string });
