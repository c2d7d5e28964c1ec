import { jsonRows } from "../../database/insert-rows";
import { paidSats } from "../../domain/invoice/sums";
import type { InvoiceFacts } from "../../domain/invoice/facts";
import { lastPaidAt, reviewReason } from "../../domain/invoice/review";
import type { Invoice } from "../../entities/invoice";
import type { Tx } from "../transaction";
import { writeAsked } from "./queries";

interface Decided {
  /** Before the decision. */
  invoice: Pick<Invoice, "id" | "storeId" | "status" | "archivedAt">;
  /** After it. */
  facts: InvoiceFacts;
}

/**
 * In the decision's transaction, for invoices whose state or payments changed. What is open follows the invoice; what
 * was resolved is asked again only after a new payment.
 */
export async function askReviews(tx: Tx, decided: readonly Decided[], now: Date): Promise<void> {
  const asked = decided.flatMap(({ invoice, facts }) => {
    const { id: invoiceId, storeId, status, archivedAt } = invoice;
    const reason = reviewReason(facts, archivedAt);
    const neverAsked = status === "New" || status === "Processing";
    if (reason === null && neverAsked) return [];
    const about = { receivedSats: paidSats(facts), lastPaidAt: lastPaidAt(facts) };
    return [{ id: tx.newId("rev"), storeId, invoiceId, reason, ...about, createdAt: now }];
  });
  if (asked.length > 0) await writeAsked(tx.manager, jsonRows(asked));
}
