import type { InvoiceFacts } from "./facts";

export function isPayable(
  { status, expiresAt }: Pick<InvoiceFacts, "status" | "expiresAt">,
  now: Date,
): boolean {
  return status === "New" && now < expiresAt;
}
