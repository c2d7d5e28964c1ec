import { Text } from "@mantine/core";
import type { LedgerLine } from "./ledger";
import type { Column } from "../../kit/data-table";
import { Amount, Sats } from "../../kit/format/money";
import { Status } from "../../kit/format/status";
import { OrderLink } from "../../kit/order-link";

const NOT_COUNTED: Record<NonNullable<LedgerLine["reason"]>, string> = {
  "below-dust": "not counted: dust",
  "before-invoice": "not counted: older than the invoice",
};

export const ledgerColumns = (storeId: string): Column<LedgerLine>[] => [
  {
    label: "Order",
    main: true,
    render: ({ orderId, invoiceId }) => (
      <OrderLink storeId={storeId} invoiceId={invoiceId} orderId={orderId} />
    ),
  },
  { label: "Date", render: ({ day }) => <span className="numeral">{day}</span> },
  {
    label: "What",
    render: ({ kind, type, reason }) => (
      <>
        {kind === "refund" ? "Refund" : "Payment"} {type === "BTC-CHAIN" ? "on-chain" : "by Lightning"}{" "}
        {reason !== null && <Status tone="calm">{NOT_COUNTED[reason]}</Status>}
      </>
    ),
  },
  { label: "Sats", align: "right", render: ({ amountSats }) => <Sats value={amountSats} /> },
  {
    label: "Amount",
    align: "right",
    render: ({ fiatAmount, currency }) =>
      fiatAmount === null ? (
        <Text span inherit c="dimmed">
          –
        </Text>
      ) : (
        <Amount amount={fiatAmount} currency={currency} />
      ),
  },
];
