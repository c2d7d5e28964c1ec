import type { paymentLinkAnswer } from "../../../api/payment-links/answer";
import type { Answer } from "./shapes";

export type PaymentLink = Answer<typeof paymentLinkAnswer>;

export const paymentLinksPath = (storeId: string): string => `/stores/${storeId}/payment-links`;
export const paymentLinkPath = (storeId: string, linkId: string): string =>
  `${paymentLinksPath(storeId)}/${encodeURIComponent(linkId)}`;

export function priceOf({ amounts, minAmount, maxAmount, currency }: PaymentLink): string {
  return `${amounts === null ? `${minAmount} to ${maxAmount}` : amounts.join(", ")} ${currency}`;
}
