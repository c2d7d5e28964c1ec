import type { InvoiceFacts } from "./facts";

/** Whether a payment that came now would be in time for an invoice that waits for one. */
export function isPayable(
  { status, expiresAt }: Pick<InvoiceFacts, "status" | "expiresAt">,
  now: Date,
): boolean {
  return status === "New" && now < expiresAt;
}
