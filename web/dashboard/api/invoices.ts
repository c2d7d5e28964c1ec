import type { historyPage } from "../../../api/invoices/history-answer";
import type { invoiceAnswer } from "../../../api/invoices/answer";
import type { Answer } from "./shapes";

export type Invoice = Answer<typeof invoiceAnswer>;
export type InvoicePayment = Invoice["payments"][number];
export type InvoiceMethod = Invoice["paymentMethods"][number];
export type InvoiceRate = NonNullable<Invoice["rate"]>;
export type HistoryLine = Answer<typeof historyPage>["data"][number];

export const invoicesPath = (storeId: string): string => `/stores/${storeId}/invoices`;
export const invoicePath = (storeId: string, invoiceId: string): string =>
  `${invoicesPath(storeId)}/${encodeURIComponent(invoiceId)}`;

/** The invoice's own id where none was given. */
export function orderIdOf({ metadata, invoiceId }: Pick<Invoice, "metadata" | "invoiceId">): string {
  const { orderId } = metadata;
  return typeof orderId === "string" && orderId !== "" ? orderId : invoiceId;
}
