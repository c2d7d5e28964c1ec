import { Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Invoice, InvoiceRate } from "../../api/invoices";
import { Facts } from "../../kit/facts";
import { formatAmount, formatBtc } from "../../kit/format/format-money";
import { Amount, Sats } from "../../kit/format/money";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";
import { inCurrency } from "./fiat";

export function AmountsSection({ invoice }: { invoice: Invoice }) {
  const { status, amount, currency, rate, dueSats, paidSats, confirmedSats, remainingSats } = invoice;
  const sum = (sats: number): ReactNode => <Sum sats={sats} rate={rate} currency={currency} />;
  return (
    <Section title="Amounts">
      <Facts
        facts={[
          [
            "Price",
            <Text key="price" span inherit fw={650} fz="lg">
              <Amount amount={amount} currency={currency} />
            </Text>,
          ],
          ["In bitcoin", <Sum key="due" sats={dueSats} rate={null} currency={currency} />],
          ["Rate", rate && <Rate rate={rate} currency={currency} />],
          ["Received", sum(paidSats)],
          ["Confirmed", paidSats === 0 ? null : sum(confirmedSats)],
          paidSats > dueSats
            ? ["Overpaid", sum(paidSats - dueSats)]
            : [status === "Settled" && remainingSats > 0 ? "Not received" : "Still due", sum(remainingSats)],
        ]}
      />
    </Section>
  );
}

function Sum({ sats, rate, currency }: { sats: number; rate: InvoiceRate | null; currency: string }) {
  const others = [formatBtc(sats), ...(rate === null ? [] : [`≈ ${inCurrency(sats, rate, currency)}`])];
  return (
    <Stack gap={0}>
      <Sats value={sats} />
      {sats !== 0 && (
        <Group gap="0 0.6rem" fz="xs" c="dimmed">
          {others.map((other) => (
            <span key={other} className="numeral">
              {other}
            </span>
          ))}
        </Group>
      )}
    </Stack>
  );
}

function Rate({ rate, currency }: { rate: InvoiceRate; currency: string }) {
  const { value, sources, at, spread } = rate;
  return (
    <Stack gap={0}>
      <span className="numeral">1 BTC = {formatAmount(value, currency)}</span>
      <Text size="xs" c="dimmed">
        {sources.length > 0 && `${sources.join(", ")} · `}
        <Time value={at} />
        {spread > 0 && ` · ${spread} % spread`}
      </Text>
    </Stack>
  );
}
