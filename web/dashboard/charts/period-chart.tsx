import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";

export interface Series {
  name: string;
  color: string;
}

interface PeriodChartProps {
  /** A row for each period: `period`, and a number for each series. */
  rows: readonly Record<string, string | number>[];
  series: readonly Series[];
  stacked: boolean;
  format: (value: number) => string;
  formatTick: (value: number) => string;
}

const HEIGHT = 240;

/** Its numbers are in the table below it. */
export function PeriodChart({ rows, series, stacked, format, formatTick }: PeriodChartProps) {
  return (
    <div aria-hidden="true">
      <BarChart
        h={HEIGHT}
        type={stacked ? "stacked" : "default"}
        data={[...rows]}
        dataKey="period"
        series={[...series]}
        valueFormatter={format}
        withLegend
        tickLine="none"
        gridAxis="x"
        xAxisProps={{ minTickGap: 24 }}
        yAxisProps={{ tickFormatter: formatTick, width: 56 }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
