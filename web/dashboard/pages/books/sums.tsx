import { Stack, Text } from "@mantine/core";
import type { LedgerSums } from "./ledger";
import { Facts } from "../../kit/facts";
import { formatAmount, groupDigits } from "../../kit/format/format-money";
import { Sats } from "../../kit/format/money";
import { Section } from "../../kit/section";

const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

export function SumsSection({ month, sums }: { month: string; sums: LedgerSums }) {
  const { receivedOnchainSats: onchain, receivedLightningSats: lightning, refundedSats, fiat } = sums;
  const received = onchain + lightning;
  return (
    <Section
      title={MONTH.format(new Date(month))}
      intro={`${counted(sums.payments, "payment")} and ${counted(sums.refunds, "refund")}. Days are those of ${sums.timeZone}; amounts in fiat are at each invoice's own rate.`}
    >
      <Facts
        facts={[
          ["Received", <Sum key="received" sats={received} fiat={fiat} of="received" />],
          ["On-chain", <Sats key="onchain" value={onchain} />],
          ["Lightning", <Sats key="lightning" value={lightning} />],
          ["Refunded", <Sum key="refunded" sats={refundedSats} fiat={fiat} of="refunded" />],
          ["Left", <Sats key="left" value={received - refundedSats} fw={650} />],
        ]}
      />
    </Section>
  );
}

function Sum(props: { sats: number; fiat: LedgerSums["fiat"]; of: "received" | "refunded" }) {
  const { sats, fiat, of } = props;
  const priced = fiat.filter((sums) => Number(sums[of]) !== 0);
  return (
    <Stack gap={0}>
      <Sats value={sats} />
      {priced.map(({ currency, ...sums }) => (
        <Text key={currency} span size="xs" c="dimmed">
          of which invoices in {currency}: <span className="numeral">{formatAmount(sums[of], currency)}</span>
        </Text>
      ))}
    </Stack>
  );
}

const counted = (count: number, what: string): string =>
  `${groupDigits(count)} ${what}${count === 1 ? "" : "s"}`;
