import { Box, Button, Stack } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { apiList } from "../../api/queries";
import { useRole } from "../../api/role";
import { deliveriesPath, isUnderWay, type Delivery } from "../../api/webhooks";
import { DataTable } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { deliveryColumns } from "./columns";
import { DeliveryFilters } from "./filters";
import { RedeliverAllFailed, SelectionBar } from "./redeliver";
import { deliveryFilter, readDeliverySearch, type DeliverySearch } from "./search";

interface Whose {
  storeId: string;
  webhookId: string;
}

export function DeliveriesSection(whose: Whose) {
  const search = useSearch({ from: "/inside/stores/$storeId/webhooks/$webhookId" });
  const navigate = useNavigate();
  const { can } = useRole(whose.storeId);
  const deliveries = useInfiniteQuery({
    ...apiList<Delivery>(deliveriesPath(whose), deliveryFilter(search)),
    placeholderData: keepPreviousData,
  });
  const go = (next: DeliverySearch): void =>
    void navigate({
      to: "/stores/$storeId/webhooks/$webhookId",
      params: whose,
      search: next,
      replace: true,
      resetScroll: false,
    });
  return (
    <Section
      title="Deliveries"
      intro="Each event is sent once automatically. Failed deliveries are redelivered by hand."
      actions={can("member") && <RedeliverAllFailed whose={whose} search={search} />}
    >
      <DeliveryFilters search={search} change={(part) => go(readDeliverySearch({ ...search, ...part }))} />
      <Loaded query={deliveries} lines={6}>
        {(rows) => (
          <Box opacity={deliveries.isPlaceholderData ? 0.5 : 1} aria-busy={deliveries.isPlaceholderData}>
            <DeliveriesTable
              whose={whose}
              rows={rows}
              more={deliveries}
              filtered={Object.keys(search).length > 0}
              clear={() => go({})}
            />
          </Box>
        )}
      </Loaded>
    </Section>
  );
}

interface TableProps {
  whose: Whose;
  rows: Delivery[];
  more: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  filtered: boolean;
  clear: () => void;
}

function DeliveriesTable({ whose, rows, more, filtered, clear }: TableProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { can } = useRole(whose.storeId);
  // Hidden, or under way by now: not selected any more.
  const sendable = rows.filter((row) => !isUnderWay(row));
  const selected = sendable.filter(({ deliveryId }) => chosen.has(deliveryId));
  const select = (ids: readonly string[]): void => setChosen(new Set(ids));
  const idsOf = (list: readonly Delivery[]): string[] => list.map(({ deliveryId }) => deliveryId);
  const columns = deliveryColumns(
    whose,
    can("member")
      ? {
          isSelected: ({ deliveryId }) => chosen.has(deliveryId),
          toggle: ({ deliveryId }) =>
            select(
              chosen.has(deliveryId)
                ? [...chosen].filter((id) => id !== deliveryId)
                : [...chosen, deliveryId],
            ),
        }
      : null,
  );
  return (
    <Stack gap="sm">
      {can("member") && sendable.length > 0 && (
        <SelectionBar
          whose={whose}
          selected={selected}
          all={sendable.length}
          selectAll={() => select(idsOf(sendable))}
          selectNone={() => select([])}
        />
      )}
      <DataTable
        label="Deliveries"
        columns={columns}
        rows={rows}
        rowKey={({ deliveryId }) => deliveryId}
        more={more}
        empty={filtered ? <NothingFits clear={clear} /> : <NoDeliveries />}
      />
    </Stack>
  );
}

function NothingFits({ clear }: { clear: () => void }) {
  const action = (
    <Button variant="default" onClick={clear}>
      Show all deliveries
    </Button>
  );
  return (
    <Empty icon="search" title="No matching deliveries" action={action}>
      No delivery matches these filters.
    </Empty>
  );
}

function NoDeliveries() {
  return (
    <Empty icon="send" title="No deliveries yet">
      The next event of an invoice appears here. To see one now, send a test event.
    </Empty>
  );
}
