import type { InvoiceMethod } from "../../api/invoices";
import type { IconName } from "../../kit/icon";

type Rail = InvoiceMethod["type"];

/** How people call the two ways to pay. */
export const RAILS: Record<Rail, { name: string; icon: IconName; destination: string }> = {
  "BTC-CHAIN": { name: "On-chain", icon: "bitcoin", destination: "Address" },
  "BTC-LN": { name: "Lightning", icon: "zap", destination: "BOLT11" },
};
