import { toJson } from "./json";
import { StreamedBody } from "./streamed";

export const EXPORT_FORMATS = ["csv", "json"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Cell = string | bigint | number | boolean | Date | null;
export type Columns<Row> = readonly (readonly [string, (row: Row) => Cell])[];

interface Export<Row> {
  /** The file without its ending. */
  name: string;
  columns: Columns<Row>;
  /** In JSON. */
  present: (row: Row) => unknown;
}

type Batches<Row> = AsyncGenerator<Row[], void, undefined>;

/** A file that is made while it is sent. */
export function exportRows<Row>(
  batches: Batches<Row>,
  format: ExportFormat,
  { name, columns, present }: Export<Row>,
): StreamedBody {
  return format === "csv"
    ? new StreamedBody("text/csv; charset=utf-8; header=present", `${name}.csv`, csv(batches, columns))
    : new StreamedBody("application/json; charset=utf-8", `${name}.json`, json(batches, present));
}

async function* json<Row>(
  batches: Batches<Row>,
  present: (row: Row) => unknown,
): AsyncGenerator<string, void, undefined> {
  let lead = '{"data":[';
  for await (const batch of batches) {
    yield lead + batch.map((row) => toJson(present(row))).join(",\n");
    lead = ",\n";
  }
  yield "]}";
}

async function* csv<Row>(
  batches: Batches<Row>,
  columns: Columns<Row>,
): AsyncGenerator<string, void, undefined> {
  let lead = csvLine(columns.map(([name]) => name));
  for await (const batch of batches) {
    yield lead + batch.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join("");
    lead = "";
  }
}

const FORMULA = /(^|[;\t\r\n])([\s"]*)([=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const NEGATIVE = /^-\d+(\.\d+)?$/;

/**
 * RFC 4180, every cell in quotes. An apostrophe keeps text from being a formula, also where a spreadsheet would split
 * and take quotes off.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: Cell): string {
  if (value === null) return `""`;
  if (value instanceof Date) return `"${value.toISOString()}"`;
  const text = String(value);
  return `"${(NEGATIVE.test(text) ? text : text.replaceAll(FORMULA, "$1$2'$3")).replaceAll('"', '""')}"`;
}
