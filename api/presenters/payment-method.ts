import type { PaymentMethodView } from "../../commands/list-payment-methods";

export function presentPaymentMethod({ type, createdAt, wallet }: PaymentMethodView) {
  return { type, ...wallet, createdAt };
}
