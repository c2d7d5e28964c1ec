import { Button, Stack, Text } from "@mantine/core";
import { post } from "../../api/call";
import { type Review, reviewPath, reviewsPath } from "../../api/reviews";
import { CopyField } from "../../kit/copy";
import type { Column } from "../../kit/data-table";
import { useAction } from "../../kit/form/action";
import { Amount, Sats } from "../../kit/format/money";
import { formatAmount } from "../../kit/format/format-money";
import { Status, type Tone } from "../../kit/format/status";
import { Time } from "../../kit/format/time";
import { OrderLink } from "../../kit/order-link";

const REASONS: Record<Review["reason"], string> = {
  "paid-late": "paid late",
  overpaid: "overpaid",
  underpaid: "underpaid",
  "paid-invalid": "paid, but invalid",
  "paid-archived": "paid, but archived",
};

const RESOLUTIONS: Record<NonNullable<Review["resolution"]>, string> = {
  fulfilled: "Fulfilled",
  refunded: "Refunded",
  kept: "Kept",
  "written-off": "Written off",
};

const order = (storeId: string): Column<Review> => ({
  label: "Order",
  main: true,
  render: ({ orderId, invoiceId }) => <OrderLink storeId={storeId} invoiceId={invoiceId} orderId={orderId} />,
});

const reason: Column<Review> = {
  label: "What happened",
  render: (review) => <Status tone="warn">{REASONS[review.reason]}</Status>,
};

const due: Column<Review> = {
  label: "Due",
  align: "right",
  render: ({ amount, currency, dueSats }) => (
    <Stack gap={0}>
      <Amount amount={amount} currency={currency} />
      {currency !== "SATS" && (
        <Text span size="xs" c="dimmed">
          <Sats value={dueSats} />
        </Text>
      )}
    </Stack>
  ),
};

const received: Column<Review> = {
  label: "Received",
  align: "right",
  render: ({ receivedSats, receivedAmount, confirmedSats, currency, lastPaidAt }) => (
    <Stack gap={0}>
      {receivedAmount !== null && <Amount amount={receivedAmount} currency={currency} />}
      <Text span size={receivedAmount === null ? "sm" : "xs"} c={receivedAmount === null ? "" : "dimmed"}>
        <Sats value={receivedSats} />
      </Text>
      <Text span size="xs" c="dimmed">
        <Time value={lastPaidAt} />
        {confirmedSats < receivedSats && ", not all confirmed"}
      </Text>
    </Stack>
  ),
};

const todo: Column<Review> = {
  label: "What to do",
  render: ({ suggestion, refundAddress }) => (
    <Stack gap={4} maw="22rem">
      <Text size="sm">{suggestion}</Text>
      {refundAddress !== null && <CopyField label="Refund address" value={refundAddress} />}
    </Stack>
  ),
};

export const openColumns = (
  storeId: string,
  resolve: ((review: Review) => void) | null,
): Column<Review>[] => [
  order(storeId),
  reason,
  due,
  received,
  todo,
  ...(resolve === null
    ? []
    : [
        {
          label: "",
          align: "right" as const,
          render: (review: Review) => (
            <Button size="xs" aria-label={`Resolve ${review.orderId}`} onClick={() => resolve(review)}>
              Resolve
            </Button>
          ),
        },
      ]),
];

export const resolvedColumns = (storeId: string, mayCheck: boolean): Column<Review>[] => [
  order(storeId),
  reason,
  due,
  received,
  {
    label: "Decision",
    render: (review) => (
      <Stack gap={4} maw="22rem">
        <Text size="sm" fw={600}>
          {review.resolution !== null && RESOLUTIONS[review.resolution]}
        </Text>
        {review.refund !== null && <Refund storeId={storeId} review={review} mayCheck={mayCheck} />}
        {review.note !== null && (
          <Text size="sm" className="breakable">
            {review.note}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    label: "Decided",
    align: "right",
    render: ({ resolvedAt }) => (resolvedAt === null ? "–" : <Time value={resolvedAt} />),
  },
];

type RefundState = NonNullable<Review["refund"]>["state"];

const STATES: Record<RefundState, { tone: Tone; text: string }> = {
  unchecked: { tone: "calm", text: "not looked up" },
  "not-found": { tone: "bad", text: "not found by the node" },
  unconfirmed: { tone: "busy", text: "found, unconfirmed" },
  confirmed: { tone: "good", text: "confirmed" },
};

function Refund({ storeId, review, mayCheck }: { storeId: string; review: Review; mayCheck: boolean }) {
  const check = useAction({
    run: () => post(`${reviewPath(storeId, review)}/check`),
    changes: [reviewsPath(storeId)],
  });
  const { refund } = review;
  if (refund === null) return null;
  const { tone, text } = STATES[refund.state];
  const onchain = refund.type === "BTC-CHAIN";
  return (
    <>
      <Text size="sm">
        <Sats value={refund.amountSats} /> by {onchain ? "Bitcoin" : "Lightning"}
      </Text>
      <CopyField label={onchain ? "Transaction" : "Payment hash"} value={refund.reference} />
      {onchain && (
        <Text size="sm" component="div">
          <Status tone={tone}>{text}</Status> <Paid review={review} />
          {mayCheck && refund.state !== "confirmed" && (
            <Button
              size="compact-xs"
              variant="subtle"
              loading={check.isPending}
              onClick={() => check.mutate()}
            >
              Look again
            </Button>
          )}
        </Text>
      )}
    </>
  );
}

function Paid({ review: { refund } }: { review: Review }) {
  if (refund === null) return null;
  const { paysRefundAddress, paidSats, amountDiffers } = refund;
  const found = (paidSats ?? []).map((each) => formatAmount(String(each), "SATS")).join(", ");
  return (
    <>
      {paysRefundAddress === true && <Status tone="good">{found} to the customer's address</Status>}
      {paysRefundAddress === false && <Status tone="bad">not to the customer's address</Status>}
      {amountDiffers === true && <Status tone="bad">another amount than you entered</Status>}
      {amountDiffers === true && paysRefundAddress !== true && (
        <Text span size="sm">
          It pays {found}.
        </Text>
      )}
    </>
  );
}

/** "12.50 EUR of 25.00 EUR" */
export const sumsOf = ({ amount, currency, receivedAmount, receivedSats }: Review): string =>
  `${receivedAmount === null ? formatAmount(String(receivedSats), "SATS") : formatAmount(receivedAmount, currency)} of ${formatAmount(amount, currency)}`;
