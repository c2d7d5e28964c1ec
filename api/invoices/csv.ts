const FORMULA = /(^|[;\t\r\n])(\s*)([=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/**
 * RFC 4180, every cell in quotes. An apostrophe keeps text from being a formula, also where a spreadsheet would split.
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
