import type { InvoiceFacts } from "./facts";

/** A payment now would be in time. */
export function isPayable(
  { status, expiresAt }: Pick<InvoiceFacts, "status" | "expiresAt">,
  now: Date,
): boolean {
  return status === "New" && now < expiresAt;
}
