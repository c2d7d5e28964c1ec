import { Text } from "@mantine/core";
import type { LedgerLine } from "./ledger";
import type { Column } from "../../kit/data-table";
import { Amount, Sats } from "../../kit/format/money";
import { Status, type Tone } from "../../kit/format/status";
import { OrderLink } from "../../kit/order-link";

const REASONS: Record<NonNullable<LedgerLine["reason"]>, { tone: Tone; text: string }> = {
  "below-dust": { tone: "calm", text: "not counted: dust" },
  "before-invoice": { tone: "calm", text: "not counted: too old" },
  "payment-gone": { tone: "bad", text: "its payment is gone" },
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
        {reason !== null && <Status tone={REASONS[reason].tone}>{REASONS[reason].text}</Status>}
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
