import { Text } from "@mantine/core";
import { orderIdOf, type Invoice } from "../../api/invoices";
import { DataTable, type Column } from "../../kit/data-table";
import { RowLink } from "../../kit/links";
import { Amount, Sats } from "../../kit/format/money";
import { InvoiceBadge } from "../../kit/format/status";
import { Time } from "../../kit/format/time";
import type { ReactNode } from "react";

const COLUMNS: readonly Column<Invoice>[] = [
  {
    label: "Order",
    main: true,
    render: (invoice) => (
      <>
        <RowLink
          to="/stores/$storeId/invoices/$invoiceId"
          params={{ storeId: invoice.storeId, invoiceId: invoice.invoiceId }}
          className="breakable"
        >
          {orderIdOf(invoice)}
        </RowLink>
        {invoice.description !== null && (
          <Text size="xs" c="dimmed" lineClamp={1} maw="24rem">
            {invoice.description}
          </Text>
        )}
      </>
    ),
  },
  { label: "Status", card: "below", render: (invoice) => <InvoiceBadge {...invoice} /> },
  {
    label: "Price",
    align: "right",
    card: "beside",
    render: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
  },
  {
    label: "Received",
    align: "right",
    card: "none",
    render: ({ paidSats }) =>
      paidSats === 0 ? (
        <Text span inherit c="dimmed">
          –
        </Text>
      ) : (
        <Sats value={paidSats} />
      ),
  },
  {
    label: "Created",
    align: "right",
    card: "end",
    render: ({ createdAt }) => <Time value={createdAt} relative />,
  },
];

export function InvoicesTable(props: {
  rows: readonly Invoice[];
  empty: ReactNode;
  more?: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  return <DataTable label="Invoices" columns={COLUMNS} rowKey={({ invoiceId }) => invoiceId} {...props} />;
}
