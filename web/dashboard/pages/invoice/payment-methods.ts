import type { InvoiceMethod } from "../../api/invoices";
import type { IconName } from "../../kit/icon";

export const PAYMENT_METHODS: Record<
  InvoiceMethod["type"],
  { name: string; icon: IconName; destination: string }
> = {
  "BTC-CHAIN": { name: "On-chain", icon: "bitcoin", destination: "Address" },
  "BTC-LN": { name: "Lightning", icon: "zap", destination: "BOLT11" },
};
