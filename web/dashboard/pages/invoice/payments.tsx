import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Invoice, InvoicePayment } from "../../api/invoices";
import { apiQuery } from "../../api/queries";
import type { ServerInfo } from "../../api/settings";
import { Copyable } from "../../kit/copy";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Icon } from "../../kit/icon";
import { Sats } from "../../kit/format/money";
import { Section } from "../../kit/section";
import { Status, type Tone } from "../../kit/format/status";
import { Time } from "../../kit/format/time";
import { inCurrency } from "./fiat";
import { PAYMENT_METHODS } from "./payment-methods";

const TONES: Record<InvoicePayment["state"], Tone> = {
  pending: "busy",
  confirmed: "good",
  replaced: "calm",
  evicted: "warn",
};

export function PaymentsSection({ invoice }: { invoice: Invoice }) {
  return (
    <Section title="Payments">
      <DataTable
        label="Payments"
        columns={columnsFor(invoice)}
        rows={invoice.payments}
        rowKey={({ id }) => id}
        empty={<NoPayment {...invoice} />}
      />
      {invoice.paymentsOmitted > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {invoice.paymentsOmitted} smaller payments are not shown here. The sums include them, and the
          history names each.
        </Text>
      )}
    </Section>
  );
}

function NoPayment({ status }: Pick<Invoice, "status">) {
  if (status === "Settled")
    return (
      <Empty icon="bitcoin" title="No payment">
        The invoice was marked by hand. The history says when, and with which note.
      </Empty>
    );
  return (
    <Empty icon="bitcoin" title="No payment yet">
      Payments appear here within seconds of being sent, long before they are confirmed.
    </Empty>
  );
}

const columnsFor = ({
  requiredConfirmations,
  rate,
  currency,
  createdAt,
}: Invoice): Column<InvoicePayment>[] => [
  { label: "Payment", main: true, render: (payment) => <Which payment={payment} /> },
  {
    label: "Amount",
    align: "right",
    render: ({ amountSats }) => (
      <Stack gap={0}>
        <Sats value={amountSats} />
        {rate !== null && (
          <Text size="xs" c="dimmed" className="numeral">
            ≈ {inCurrency(amountSats, rate, currency)}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    label: "State",
    render: (payment) => <PaymentState payment={payment} required={requiredConfirmations} />,
  },
  {
    label: "First seen",
    align: "right",
    render: ({ firstSeenAt, late }) => (
      <Stack gap={2} align="flex-end">
        <Time value={firstSeenAt} />
        {late && <Status tone="warn">late</Status>}
        {firstSeenAt < createdAt && (
          <>
            <Status tone="warn">not counted</Status>
            <Text size="xs" c="dimmed">
              older than the invoice
            </Text>
          </>
        )}
      </Stack>
    ),
  },
];

function Which({ payment: { type, txid, vout, paymentHash, preimage } }: { payment: InvoicePayment }) {
  const { name, icon } = PAYMENT_METHODS[type];
  return (
    <Stack gap={4}>
      <Group gap={6}>
        <Icon name={icon} size={16} />
        <Text span inherit fw={600}>
          {name}
        </Text>
      </Group>
      {txid !== undefined && (
        <Hash
          name="Transaction"
          value={txid}
          after={
            <>
              {vout !== undefined && `output ${vout}`} <InExplorer txid={txid} />
            </>
          }
        />
      )}
      {paymentHash !== undefined && <Hash name="Payment hash" value={paymentHash} />}
      {preimage !== undefined && <Hash name="Preimage" value={preimage} />}
    </Stack>
  );
}

/** A tab of its own, without a referrer. */
function InExplorer({ txid }: { txid: string }) {
  const { data } = useQuery(apiQuery<ServerInfo>("/server/info"));
  const base = data?.explorerTxUrl ?? null;
  if (base === null) return null;
  return (
    <Anchor inherit href={base + txid} target="_blank" rel="noreferrer">
      Block explorer
    </Anchor>
  );
}

function Hash({ name, value, after }: { name: string; value: string; after?: ReactNode }) {
  return (
    <Group gap={6} fz="sm">
      <Text span inherit c="dimmed">
        {name}
      </Text>
      <Copyable value={value} label={`the ${name.toLowerCase()}`} short />
      {after}
    </Group>
  );
}

function PaymentState({ payment, required }: { payment: InvoicePayment; required: number }) {
  const { state, confirmations, replacedByTxid } = payment;
  return (
    <Stack gap={4} align="flex-start">
      <Status tone={TONES[state]}>{state}</Status>
      {confirmations !== undefined && (state === "pending" || state === "confirmed") && (
        <Text size="xs" c="dimmed">
          {confirmationsOf(confirmations, required)}
        </Text>
      )}
      {state === "evicted" && (
        <Text size="xs" c="dimmed">
          no longer known to the node
        </Text>
      )}
      {replacedByTxid !== undefined && <Hash name="By" value={replacedByTxid} />}
    </Stack>
  );
}

/** Above the required number only the number. */
function confirmationsOf(confirmations: number, required: number): string {
  if (confirmations < required)
    return `${confirmations} of ${required} confirmation${required === 1 ? "" : "s"}`;
  return `${confirmations} confirmation${confirmations === 1 ? "" : "s"}, ${required} needed`;
}
