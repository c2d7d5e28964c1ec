import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Invoice } from "../../api/invoices";
import { formatSats } from "../../kit/format-money";
import { Time } from "../../kit/time";

/** What the status means for the merchant, in a sentence. */
export function Meaning({ invoice }: { invoice: Invoice }) {
  return <Text size="sm">{meaningOf(invoice)}</Text>;
}

function meaningOf(invoice: Invoice): ReactNode {
  const { status, additionalStatus, paidSats, dueSats, remainingSats, expiresAt } = invoice;
  switch (status) {
    case "New":
      return (
        <>
          {paidSats === 0 ? "Waits for a payment" : `Waits for the remaining ${formatSats(remainingSats)}`};
          the price holds until <Time value={expiresAt} />.
        </>
      );
    case "Processing":
      return "Enough has come in and waits to be confirmed. Do not release the order yet.";
    case "Settled":
      if (additionalStatus === "Overpaid")
        return `Paid, with ${formatSats(paidSats - dueSats)} too much. The order can be released.`;
      if (additionalStatus === "PaidAfterExpiration")
        return "Paid in full, but after the price had expired. Decide by hand whether to release the order.";
      if (remainingSats > 0) return "Counts as paid, by hand. The order can be released.";
      return "Paid. The order can be released.";
    case "Expired":
      if (additionalStatus === "Underpaid")
        return `Only ${formatSats(paidSats)} of ${formatSats(dueSats)} came in. Refund it, or mark the invoice settled.`;
      return paidSats > 0
        ? "Expired; a payment came later and waits to be confirmed."
        : "Nobody paid before the price expired.";
    case "Invalid":
      return "Does not count as paid. Do not release the order.";
  }
}
