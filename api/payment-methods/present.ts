import type { PaymentMethodView } from "../../commands/wallets/list-payment-methods";

export function presentPaymentMethod({ type, createdAt, wallet, use, lightning }: PaymentMethodView) {
  const available = wallet !== null && {
    available: wallet.fingerprint !== null,
    ...(wallet.fingerprint === null ? { reason: "not-authentic" as const } : {}),
  };
  return { type, ...wallet, ...available, ...use, ...lightning, createdAt };
}
