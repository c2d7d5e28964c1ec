import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Invoice } from "../../api/invoices";
import { formatSats } from "../../kit/format/format-money";
import { Time } from "../../kit/format/time";

export function Meaning({ invoice }: { invoice: Invoice }) {
  return <Text size="sm">{meaningOf(invoice)}</Text>;
}

function meaningOf(invoice: Invoice): ReactNode {
  const { status, additionalStatus, paidSats, dueSats, remainingSats, expiresAt } = invoice;
  switch (status) {
    case "New":
      return (
        <>
          {paidSats === 0
            ? "Waiting for a payment"
            : `Waiting for the remaining ${formatSats(remainingSats)}`}
          ; the price is valid until <Time value={expiresAt} />.
        </>
      );
    case "Processing":
      return "Enough has been paid and is waiting for confirmation. Do not release the order yet.";
    case "Settled":
      if (additionalStatus === "Overpaid")
        return `Paid, with ${formatSats(paidSats - dueSats)} too much. The order can be released.`;
      if (additionalStatus === "PaidAfterExpiration")
        return "Paid in full, but after the invoice had expired. Decide yourself whether to release the order.";
      if (remainingSats > 0) return "Marked as paid by hand. The order can be released.";
      return "Paid. The order can be released.";
    case "Expired":
      if (additionalStatus === "Underpaid")
        return `Only ${formatSats(paidSats)} of ${formatSats(dueSats)} was paid. Refund it, or mark the invoice settled.`;
      return paidSats > 0
        ? "Expired. A late payment is waiting for confirmation."
        : "Expired without a payment.";
    case "Invalid":
      return "Does not count as paid. Do not release the order.";
  }
}
