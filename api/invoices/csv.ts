/** What spreadsheets take for the beginning of a formula, also in full width. */
const FORMULA = /(^|[;\t\r\n])(\s*)([=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/**
 * One line of CSV (RFC 4180), every cell in quotes. A text cell cannot start a formula, neither alone nor where a
 * spreadsheet that splits at semicolons or tabs would begin a cell: an apostrophe goes before it.
 */
export function csvLine(cells: readonly (string | bigint | number | boolean | Date | null)[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: string | bigint | number | boolean | Date | null): string {
  if (value === null) return `""`;
  if (value instanceof Date) return `"${value.toISOString()}"`;
  const text = typeof value === "string" ? value.replaceAll(FORMULA, "$1$2'$3") : String(value);
  return `"${text.replaceAll('"', '""')}"`;
}
