import type { HistoryLine } from "../../api/invoices";

/** Without each decision's event, which says the same at the same instant. */
export function withoutEchoes(lines: readonly HistoryLine[]): HistoryLine[] {
  const told = new Set(lines.map((line) => (line.kind === "status" ? sayingOf(line.status, line) : null)));
  return lines.filter((line) => line.kind !== "event" || !told.has(sayingOf(line.type, line)));
}

const sayingOf = (
  status: string,
  { at, additionalStatus }: { at: string; additionalStatus: string },
): string => `${at} ${status} ${additionalStatus}`;
