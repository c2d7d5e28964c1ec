/** What the checkout's page and modal.js say to each other by postMessage: each to the other's exact origin. */
interface Head {
  source: "quittance";
  version: 1;
}

/** From the shop's page: the one that frames the checkout can be told now. */
export interface Hello extends Head {
  type: "hello";
}

export type InvoiceStatus = "New" | "Processing" | "Settled" | "Expired" | "Invalid";

/** Where the invoice stands. `phase` is finer than `status` and may get more words. */
export interface Standing {
  invoiceId: string;
  status: InvoiceStatus;
  phase: string;
}

/** From the checkout's page. `close`: the customer wants it gone. `return`: the invoice says to go back to its redirectUrl by itself. */
export type Told = Head &
  Standing &
  ({ type: "ready" | "status" | "close" } | { type: "return"; url: string });
