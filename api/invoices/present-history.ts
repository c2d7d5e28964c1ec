import type { HistoryLine } from "../../commands/invoices/list-invoice-history";

/** Without the state table's row: tables change. */
export function presentHistoryLine(line: HistoryLine) {
  const { at, kind } = line;
  switch (line.kind) {
    case "status": {
      const { status, additionalStatus, reason, note } = line.details;
      return { at, kind, status, additionalStatus, reason, note };
    }
    case "payment":
      return { at, kind, ...line.details, amountSats: BigInt(line.details.amountSats) };
    case "event":
    case "activated":
    case "edited":
    case "refund-address":
    case "receipt-asked":
    case "receipt-sent":
    case "receipt-refused":
    case "archived":
    case "unarchived":
      return { at, kind, ...line.details };
  }
}
