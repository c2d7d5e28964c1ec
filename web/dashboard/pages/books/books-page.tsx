import { ActionIcon, Group, TextInput } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type LedgerLine, type LedgerSums, paymentsPath } from "./ledger";
import { apiList, apiQuery } from "../../api/queries";
import { DataTable } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Icon } from "../../kit/icon";
import { Loaded } from "../../kit/loaded";
import { Page } from "../../kit/page";
import { useToday } from "../../kit/today";
import { ledgerColumns } from "./columns";
import { daysOf, isMonth, monthsFrom } from "./search";
import { SumsSection } from "./sums";
import { ExportMenu, ExportProgress, useExport } from "../../kit/export";

const ROUTE = "/inside/stores/$storeId/books";

export function BooksPage() {
  const { storeId } = useParams({ from: ROUTE });
  const today = useToday(storeId);
  const { month = today.slice(0, 7) } = useSearch({ from: ROUTE });
  const days = daysOf(month);
  const sums = useQuery({
    ...apiQuery<LedgerSums>(`${paymentsPath(storeId)}/summary`, days),
    placeholderData: keepPreviousData,
  });
  const lines = useInfiniteQuery({
    ...apiList<LedgerLine>(paymentsPath(storeId), days),
    placeholderData: keepPreviousData,
  });
  const { progress, start, cancel } = useExport(paymentsPath(storeId), days, `payments-${month}`);
  return (
    <Page
      title="Books"
      intro="What was received and refunded in a month, by the day on which a payment was confirmed or a refund recorded."
      actions={<ExportMenu busy={progress !== null} start={start} />}
    >
      <MonthPicker storeId={storeId} month={month} />
      <ExportProgress progress={progress} cancel={cancel} />
      <Loaded query={sums}>{(data) => <SumsSection month={month} sums={data} />}</Loaded>
      <Loaded query={lines}>
        {(rows) => (
          <DataTable
            label="Payments and refunds"
            columns={ledgerColumns(storeId)}
            rows={rows}
            rowKey={({ id }) => id}
            more={lines}
            empty={
              <Empty icon="scroll-text" title="Nothing in this month">
                Payments appear here once they are confirmed, and refunds once they are recorded.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  );
}

function MonthPicker({ storeId, month }: { storeId: string; month: string }) {
  const navigate = useNavigate();
  const show = (chosen: string): void => {
    if (isMonth(chosen))
      void navigate({ to: "/stores/$storeId/books", params: { storeId }, search: { month: chosen } });
  };
  return (
    <Group gap="xs" align="flex-end">
      <ActionIcon
        variant="default"
        size="lg"
        aria-label="The month before"
        onClick={() => show(monthsFrom(month, -1))}
      >
        <Icon name="chevron-left" />
      </ActionIcon>
      <TextInput
        type="month"
        aria-label="Month"
        value={month}
        onChange={({ currentTarget }) => show(currentTarget.value)}
      />
      <ActionIcon
        variant="default"
        size="lg"
        aria-label="The month after"
        onClick={() => show(monthsFrom(month, 1))}
      >
        <Icon name="chevron-right" />
      </ActionIcon>
    </Group>
  );
}
