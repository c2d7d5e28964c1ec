import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import type { StoreHome } from "../api/home";
import { formatSats, groupDigits } from "../kit/format/format-money";

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const HEIGHT = 240;

/** Its numbers are in the text beside it. */
export function ReceivedChart({ received }: { received: StoreHome["received"] }) {
  return (
    <div aria-hidden="true">
      <BarChart
        h={HEIGHT}
        type="stacked"
        data={received.map(({ day, onchainSats, lightningSats }) => ({
          day: DAY.format(new Date(day)),
          "On-chain": onchainSats,
          Lightning: lightningSats,
        }))}
        dataKey="day"
        series={[
          { name: "On-chain", color: "teal.6" },
          { name: "Lightning", color: "yellow.6" },
        ]}
        valueFormatter={formatSats}
        withLegend
        tickLine="none"
        gridAxis="x"
        xAxisProps={{ minTickGap: 24 }}
        yAxisProps={{ tickFormatter: shortSats, width: 56 }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}

const STEPS = [
  [1_000_000_000, "G"],
  [1_000_000, "M"],
  [1_000, "k"],
] as const;

/** "25k", "1.5M". */
function shortSats(sats: number): string {
  const step = STEPS.find(([size]) => sats >= size);
  return step === undefined ? groupDigits(sats) : `${Number((sats / step[0]).toFixed(1))}${step[1]}`;
}
