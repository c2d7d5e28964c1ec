import { Box, Group, SegmentedControl, Stack } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { reportQuery } from "../../api/reports";
import { DayInput } from "../../kit/form/filter-inputs";
import { Loaded } from "../../kit/loaded";
import { Page } from "../../kit/page";
import { daysAfter, useToday } from "../../kit/today";
import { PeriodsTable, Totals } from "./numbers";
import { Pictures } from "./pictures";
import type { ReportSearch } from "./search";

const ROUTE = "/inside/stores/$storeId/reports";

export function ReportsPage() {
  const { storeId } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const range = rangeOf(search, useToday(storeId));
  const report = useQuery({ ...reportQuery(storeId, range), placeholderData: keepPreviousData });
  const change = (changed: ReportSearch): void =>
    void navigate({
      to: "/stores/$storeId/reports",
      params: { storeId },
      search: { ...range, ...changed },
      replace: true,
    });
  return (
    <Page title="Reports" intro="What came in, and what became of your invoices.">
      <Group align="end">
        <DayInput label="From" value={range.from} change={(from) => from !== undefined && change({ from })} />
        <DayInput label="To" value={range.to} change={(to) => to !== undefined && change({ to })} />
        <SegmentedControl
          aria-label="Periods"
          value={range.by}
          onChange={(by) => change({ by: by })}
          data={[
            { value: "day", label: "Days" },
            { value: "week", label: "Weeks" },
            { value: "month", label: "Months" },
          ]}
        />
      </Group>
      <Loaded query={report}>
        {(data) => (
          <Box opacity={report.isPlaceholderData ? 0.5 : 1} aria-busy={report.isPlaceholderData}>
            <Stack gap="lg">
              <Pictures storeId={storeId} report={data} />
              <Totals report={data} />
              <PeriodsTable storeId={storeId} report={data} />
            </Stack>
          </Box>
        )}
      </Loaded>
    </Page>
  );
}

const DAYS = 30;

/** The last days unless chosen. */
const rangeOf = ({ from, to, by = "day" }: ReportSearch, today: string) => ({
  from: from ?? daysAfter(today, 1 - DAYS),
  to: to ?? today,
  by,
});
