import { Code, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Report } from "../../api/admin";
import { apiList } from "../../api/queries";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { groupDigits } from "../../kit/format/format-money";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";
import { Time } from "../../kit/format/time";

const COLUMNS: readonly Column<Report>[] = [
  {
    label: "When",
    main: true,
    render: ({ at }) => (
      <Text component="span" fw={600} inherit>
        <Time value={at} />
      </Text>
    ),
  },
  {
    label: "Blocks",
    render: ({ fromHeight, toHeight }) => (
      <span className="numeral">
        {groupDigits(fromHeight)}–{groupDigits(toHeight)}
      </span>
    ),
  },
  {
    label: "Payments",
    align: "right",
    render: ({ checkedPayments }) => <span className="numeral">{groupDigits(checkedPayments)}</span>,
  },
  { label: "Differences", render: ({ differences }) => <Differences differences={differences} /> },
];

export function ReportsSection() {
  const reports = useInfiniteQuery(apiList<Report>("/admin/reconciliation-reports", { limit: 10 }));
  return (
    <Section
      title="Reconciliation"
      intro="Once a day the payments in the database are compared with the node's blocks."
    >
      <Loaded query={reports} lines={2}>
        {(rows) => (
          <DataTable
            label="Reports"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ reportId }) => reportId}
            more={reports}
            empty={
              <Empty icon="search" title="No report yet">
                The first one is written within a day of the start, if a Bitcoin node is connected.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Section>
  );
}

function Differences({ differences }: Pick<Report, "differences">) {
  if (differences.length === 0) return <Status tone="good">none</Status>;
  return (
    <Code block className="breakable">
      {differences.map(({ kind, invoiceId }) => `${kind}: ${invoiceId}`).join("\n")}
    </Code>
  );
}
