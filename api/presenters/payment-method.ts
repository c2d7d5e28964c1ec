import type { PaymentMethodView } from "../../commands/list-payment-methods";

export function presentPaymentMethod({ type, createdAt, wallet, use }: PaymentMethodView) {
  return { type, ...wallet, ...use, createdAt };
}
