import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { post } from "../../api/call";
import { invoicePath, type Invoice, type InvoiceMethod } from "../../api/invoices";
import { useRole } from "../../api/role";
import { useAction } from "../../kit/form/action";
import { CopyButton, CopyField, Copyable } from "../../kit/copy";
import { Icon } from "../../kit/icon";
import { Sats } from "../../kit/format/money";
import { Qr } from "../../kit/qr";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";
import { PAYMENT_METHODS } from "./payment-methods";

const REASONS: Record<NonNullable<InvoiceMethod["reason"]>, string> = {
  "not-activated": "The address is allocated when the customer opens the payment page.",
  "not-chosen": "The address is allocated when the customer chooses to pay on-chain.",
  "being-issued": "A new BOLT11 over the amount due is being issued.",
  "node-unavailable": "The Lightning node does not answer. The BOLT11 is issued as soon as it is back.",
  "exceeds-receivable": "The amount due is more than the Lightning node's channels can receive now.",
  "node-clock":
    "The Lightning node's clock is wrong: wallets would refuse its BOLT11. Inform the server's operator.",
  "no-longer-payable": "Nothing is due with this payment method any more.",
  "not-authentic":
    "The destination in the database is not the one that this service stored, so it is not shown. Inform the server's operator.",
};

export function WaysToPaySection({ invoice }: { invoice: Invoice }) {
  const { status, remainingSats, paymentMethods, paymentUri, checkoutUrl } = invoice;
  const payable = status === "New" && remainingSats > 0;
  const open = (
    <Anchor href={checkoutUrl} target="_blank" rel="noreferrer" size="sm">
      Open the payment page
    </Anchor>
  );
  return (
    <Section title="Ways to pay" actions={open}>
      <Stack gap="lg">
        <CopyField label="Payment link" value={checkoutUrl} />
        {paymentMethods.map((method) => (
          <Way key={method.type} method={method} due={payable} />
        ))}
        {payable &&
          paymentMethods.some(({ reason }) => reason === "not-activated" || reason === "not-chosen") && (
            <TakeAddress invoice={invoice} />
          )}
        {payable && paymentUri !== null && (
          <Stack gap={6} align="flex-start">
            <Qr text={paymentUri} label="QR code of the payment" size={168} />
            <Group gap={4} wrap="nowrap">
              <Text size="sm">For any wallet</Text>
              <CopyButton value={paymentUri} label="Copy the payment URI" />
            </Group>
          </Stack>
        )}
      </Stack>
    </Section>
  );
}

function Way({ method, due }: { method: InvoiceMethod; due: boolean }) {
  const payable = due && method.available;
  const { name, icon, destination } = PAYMENT_METHODS[method.type];
  const lightning = method.type === "BTC-LN";
  return (
    <Stack gap={6} role="group" aria-label={name}>
      <Group gap="xs" justify="space-between">
        <Group gap={6}>
          <Icon name={icon} />
          <Text fw={600}>{name}</Text>
        </Group>
        <Status tone={payable ? "good" : "calm"}>{payable ? "open" : "not open"}</Status>
      </Group>
      {method.destination !== null && (
        <Group gap={6} fz="sm">
          <Text span inherit c="dimmed">
            {destination}
          </Text>
          <Copyable
            value={method.destination}
            label={`the ${lightning ? "BOLT11" : "address"}`}
            short={lightning}
          />
        </Group>
      )}
      {payable && (
        <Group gap={6} fz="sm">
          <Text span inherit c="dimmed">
            Due
          </Text>
          <Sats value={method.amountSats} />
        </Group>
      )}
      {!payable && (
        <Text size="sm" c="dimmed">
          {whyNot(method, due)}
        </Text>
      )}
    </Stack>
  );
}

function TakeAddress({ invoice: { storeId, invoiceId } }: { invoice: Invoice }) {
  const { can } = useRole(storeId);
  const path = invoicePath(storeId, invoiceId);
  const take = useAction({
    run: () => post(`${path}/payment-methods/BTC-CHAIN/activate`),
    changes: [path],
    done: "The invoice has an address now.",
  });
  if (!can("member")) return null;
  return (
    <Group>
      <Button variant="default" size="xs" loading={take.isPending} onClick={() => take.mutate()}>
        Allocate the address now
      </Button>
    </Group>
  );
}

function whyNot({ type, reason }: InvoiceMethod, due: boolean): string {
  if (due && type === "BTC-LN" && reason === "no-longer-payable")
    return "Lightning is off for this invoice: the store has no Lightning node for it any more.";
  if (reason !== undefined) return REASONS[reason];
  return type === "BTC-CHAIN"
    ? "Nothing is due any more. The address is still watched, and payments to it are shown below."
    : REASONS["no-longer-payable"];
}
