import { Skeleton, Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { Period, Report } from "../../api/reports";
import type { Series } from "../../charts/period-chart";
import { formatSats, groupDigits, shortNumber } from "../../kit/format/format-money";
import { TextLink } from "../../kit/links";
import { Section } from "../../kit/section";
import { STATUSES } from "../invoices/search";
import { periodText, quantilesText, secondsText } from "./words";

// Charts weigh more than all else.
const PeriodChart = lazy(async () => {
  const { PeriodChart: Chart } = await import("../../charts/period-chart");
  return { default: Chart };
});

interface Picture {
  title: string;
  intro: string;
  /** The link filters by it. */
  status?: string;
  series: readonly Series[];
  stacked: boolean;
  valuesOf: (period: Period) => Record<string, number>;
  format: (value: number) => string;
  formatTick: (value: number) => string;
}

const COLORS = {
  New: "gray.5",
  Processing: "blue.6",
  Settled: "teal.6",
  Expired: "orange.6",
  Invalid: "red.6",
};

const picturesOf = ({ totals }: Report): Picture[] => [
  {
    title: "Received",
    intro: `${formatSats(totals.received.onchainSats)} on-chain and ${formatSats(totals.received.lightningSats)} by Lightning were confirmed.`,
    status: "Settled",
    series: [
      { name: "On-chain", color: "teal.6" },
      { name: "Lightning", color: "yellow.6" },
    ],
    stacked: true,
    valuesOf: ({ received }) => ({ "On-chain": received.onchainSats, Lightning: received.lightningSats }),
    format: formatSats,
    formatTick: shortNumber,
  },
  {
    title: "Invoices",
    intro: `${groupDigits(totals.created)} were created${totals.paidPercent === null ? "" : `; ${totals.paidPercent}% of those with an outcome were paid`}.`,
    series: STATUSES.map((name) => ({ name, color: COLORS[name] })),
    stacked: true,
    valuesOf: ({ invoices }) => ({ ...invoices }),
    format: groupDigits,
    formatTick: shortNumber,
  },
  {
    title: "Time to pay",
    intro: `From creation to the first payment: ${quantilesText(totals.secondsToPayment)}. To Settled: ${quantilesText(totals.secondsToSettled)}.`,
    status: "Settled",
    series: [
      { name: "First payment, median", color: "teal.6" },
      { name: "Settled, median", color: "blue.6" },
    ],
    stacked: false,
    valuesOf: ({ secondsToPayment, secondsToSettled }) => ({
      "First payment, median": secondsToPayment?.median ?? 0,
      "Settled, median": secondsToSettled?.median ?? 0,
    }),
    format: secondsText,
    formatTick: secondsText,
  },
];

export function Pictures({ storeId, report }: { storeId: string; report: Report }) {
  return (
    <Stack gap="lg">
      {picturesOf(report).map((picture) => (
        <PictureSection key={picture.title} storeId={storeId} report={report} picture={picture} />
      ))}
    </Stack>
  );
}

function PictureSection(props: { storeId: string; report: Report; picture: Picture }) {
  const { storeId, report, picture } = props;
  const { title, intro, status, valuesOf, ...chart } = picture;
  const { from, to } = report;
  const search = { from, to, ...(status === undefined ? {} : { status }) };
  const rows = report.periods.map((period) => ({ period: periodText(period), ...valuesOf(period) }));
  const link = (
    <TextLink
      to="/stores/$storeId/invoices"
      params={{ storeId }}
      search={search}
      size="sm"
      aria-label={`Invoices of ${title}`}
    >
      Invoices
    </TextLink>
  );
  return (
    <Section title={title} intro={intro} actions={link}>
      <Suspense fallback={<Skeleton height={240} />}>
        <PeriodChart rows={rows} {...chart} />
      </Suspense>
    </Section>
  );
}
