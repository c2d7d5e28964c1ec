import { Button, Center, Paper } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./data-table.module.css";

export interface Column<Row> {
  /** Also on a phone. Empty: no label (buttons). */
  label: string;
  render: (row: Row) => ReactNode;
  align?: "right";
  /** First in a phone's card; a `<RowLink>` in it makes the whole row a link. */
  main?: true;
  /** In cards of two lines: where it is, or not at all. */
  card?: "beside" | "below" | "end" | "none";
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  empty: ReactNode;
  more?: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Such a table needs more room beside each other. */
const MANY_COLUMNS = 6;

/** On a phone each row is a card. */
export function DataTable<Row>({ label, columns, rows, rowKey, empty, more }: DataTableProps<Row>) {
  if (rows.length === 0) return <Paper withBorder>{empty}</Paper>;
  return (
    <>
      <Paper withBorder className={classes.frame} data-many={columns.length >= MANY_COLUMNS || undefined}>
        {/* The roles are named because a table that is shown as blocks loses them. */}
        <table className={classes.table} role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <th key={column.label} role="columnheader" scope="col" data-align={column.align}>
                  {column.label === "" ? <span className="visually-hidden">Actions</span> : column.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={rowKey(row)} role="row">
                {columns.map((column) => (
                  <Cell key={column.label} column={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Paper>
      {more?.hasNextPage === true && (
        <Center>
          <Button
            variant="default"
            loading={more.isFetchingNextPage}
            onClick={() => void more.fetchNextPage()}
          >
            Show more
          </Button>
        </Center>
      )}
    </>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return (
    <td
      role="cell"
      data-align={column.align}
      data-main={column.main}
      data-card={column.card}
      data-label={column.label || undefined}
    >
      <div className={classes.value}>{column.render(row)}</div>
    </td>
  );
}
