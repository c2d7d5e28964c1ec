import type { HistoryLine } from "../../commands/invoices/list-invoice-history";

/** Without the state table's row: tables change. */
export function presentHistoryLine({ at, ...line }: HistoryLine) {
  const { kind } = line;
  if (line.kind === "status") {
    const { status, additionalStatus, reason, note } = line.details;
    return { at, kind, status, additionalStatus, reason, note };
  }
  const sats = line.kind === "payment" ? { amountSats: BigInt(line.details.amountSats) } : {};
  return { at, kind, ...line.details, ...sats };
}
