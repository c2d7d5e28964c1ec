import { Anchor, Group, Stack, Text } from "@mantine/core";
import type { Invoice, InvoiceMethod } from "../../api/invoices";
import { CopyButton, Copyable } from "../../kit/copy";
import { Facts } from "../../kit/facts";
import { Icon } from "../../kit/icon";
import { Sats } from "../../kit/money";
import { Qr } from "../../kit/qr";
import { Section } from "../../kit/section";
import { Status } from "../../kit/status";
import { RAILS } from "./rails";

const REASONS: Record<NonNullable<InvoiceMethod["reason"]>, string> = {
  "being-issued": "A new BOLT11 over what is due now is on its way.",
  "node-unavailable": "The Lightning node does not answer. The BOLT11 comes as soon as it is back.",
  "exceeds-receivable": "What is due is more than the Lightning node's channels can receive now.",
  "no-longer-payable": "Nothing is due in this way any more.",
};

export function WaysToPaySection({ invoice }: { invoice: Invoice }) {
  const { paymentMethods, paymentUri, checkoutUrl } = invoice;
  const payable = paymentUri !== null && paymentMethods.some(({ available }) => available);
  return (
    <Section title="Ways to pay">
      <Stack gap="lg">
        <Facts
          facts={[
            [
              "Payment link",
              <Group key="link" gap={4} wrap="nowrap">
                <Anchor href={checkoutUrl} target="_blank" rel="noreferrer" className="breakable">
                  {checkoutUrl}
                </Anchor>
                <CopyButton value={checkoutUrl} label="Copy the payment link" />
              </Group>,
            ],
          ]}
        />
        {paymentMethods.map((method) => (
          <Way key={method.type} method={method} />
        ))}
        {payable && (
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

function Way({ method }: { method: InvoiceMethod }) {
  const { name, icon, destination } = RAILS[method.type];
  const lightning = method.type === "BTC-LN";
  const unavailable =
    method.reason === undefined ? "It cannot be paid in this way now." : REASONS[method.reason];
  return (
    <Stack gap={6} role="group" aria-label={name}>
      <Group gap="xs" justify="space-between">
        <Group gap={6}>
          <Icon name={icon} />
          <Text fw={600}>{name}</Text>
        </Group>
        <Status tone={method.available ? "good" : "calm"}>{method.available ? "open" : "not open"}</Status>
      </Group>
      <Facts
        facts={[
          [
            destination,
            method.destination && (
              <Copyable
                key="destination"
                value={method.destination}
                label={`the ${lightning ? "BOLT11" : "address"}`}
                short={lightning}
              />
            ),
          ],
          ["Due", method.available ? <Sats key="due" value={method.amountSats} /> : null],
        ]}
      />
      {!method.available && (
        <Text size="sm" c="dimmed">
          {unavailable}
        </Text>
      )}
    </Stack>
  );
}
