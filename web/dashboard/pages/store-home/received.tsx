import { Skeleton, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { StoreHome } from "../../api/home";
import { formatSats, shortNumber } from "../../kit/format/format-money";
import { Section } from "../../kit/section";
import { bestDay, receivedIn } from "./sums";

// Charts weigh more than all else.
const PeriodChart = lazy(async () => {
  const { PeriodChart: Chart } = await import("../../charts/period-chart");
  return { default: Chart };
});

const SHORT_DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const SERIES = [
  { name: "On-chain", color: "teal.6" },
  { name: "Lightning", color: "yellow.6" },
];

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeZone: "UTC" });
const CHART_HEIGHT = 240;

export function ReceivedSection({ home }: { home: StoreHome }) {
  const { received } = home;
  const best = bestDay(received);
  return (
    <Section title="Received per day" intro={summaryOf(home)}>
      {best === null ? (
        <Text size="sm" c="dimmed">
          A payment counts on the day on which it was confirmed.
        </Text>
      ) : (
        <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
          <PeriodChart
            rows={received.map(({ day, onchainSats, lightningSats }) => ({
              period: SHORT_DAY.format(new Date(day)),
              "On-chain": onchainSats,
              Lightning: lightningSats,
            }))}
            series={SERIES}
            stacked
            format={formatSats}
            formatTick={shortNumber}
          />
        </Suspense>
      )}
    </Section>
  );
}

function summaryOf({ days, received, timeZone }: StoreHome): string {
  const best = bestDay(received);
  const zone = `Days are those of ${timeZone}.`;
  if (best === null) return `No payments were confirmed in the last ${days} days. ${zone}`;
  const lightning = received.reduce((sum, { lightningSats }) => sum + lightningSats, 0);
  return [
    `${formatSats(receivedIn(received))} were confirmed in the last ${days} days,`,
    `${formatSats(lightning)} of them by Lightning;`,
    `most on ${DAY.format(new Date(best.day))}: ${formatSats(best.sats)}. ${zone}`,
  ].join(" ");
}
