import type { Period, Report } from "../../api/reports";
import { DataTable, type Column } from "../../kit/data-table";
import { Facts } from "../../kit/facts";
import { formatSats, groupDigits } from "../../kit/format/format-money";
import { RowLink } from "../../kit/links";
import { Section } from "../../kit/section";
import { periodText, quantilesText, soldText } from "./words";

export function Totals({ report: { totals } }: { report: Report }) {
  return (
    <Section title="In total">
      <Facts
        facts={[
          ["Sold", soldText(totals)],
          ["Average order", totals.averageOrderSats === null ? "–" : formatSats(totals.averageOrderSats)],
          ["Paid", totals.paidPercent === null ? "–" : `${totals.paidPercent}%`],
          ["Paid late", groupDigits(totals.late)],
          ["Paid in part", groupDigits(totals.partial)],
        ]}
      />
    </Section>
  );
}

export function PeriodsTable({ storeId, report }: { storeId: string; report: Report }) {
  const columns: Column<Period>[] = [
    {
      label: "Period",
      main: true,
      render: (period) => (
        <RowLink
          to="/stores/$storeId/invoices"
          params={{ storeId }}
          search={{ from: period.from, to: period.to }}
        >
          {periodText(period)}
        </RowLink>
      ),
    },
    {
      label: "On-chain",
      align: "right",
      render: ({ received }) => formatSats(received.onchainSats),
    },
    { label: "Lightning", align: "right", render: ({ received }) => formatSats(received.lightningSats) },
    { label: "Invoices", align: "right", render: ({ created }) => groupDigits(created) },
    { label: "Settled", align: "right", render: ({ invoices }) => groupDigits(invoices.Settled) },
    { label: "Sold", align: "right", render: soldText },
    { label: "To payment", align: "right", render: (period) => quantilesText(period.secondsToPayment) },
  ];
  return (
    <DataTable
      label="Periods"
      columns={columns}
      rows={report.periods.toReversed()}
      rowKey={({ from }) => from}
      empty={null}
    />
  );
}
