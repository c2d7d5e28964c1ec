import { Box, Group, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { apiList } from "../api/queries";
import { useRole } from "../api/role";
import type { Alert } from "../api/shapes";
import { DataTable } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { alertColumns } from "./alerts/columns";

const ROUTE = "/inside/stores/$storeId/alerts";

export function AlertsPage() {
  const { storeId } = useParams({ from: ROUTE });
  const { state = "open" } = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const { can } = useRole(storeId);
  const alerts = useInfiniteQuery({
    ...apiList<Alert>(`/stores/${storeId}/alerts`, { state }),
    placeholderData: keepPreviousData,
  });
  const show = (chosen: string): void =>
    void navigate({
      to: "/stores/$storeId/alerts",
      params: { storeId },
      search: chosen === "resolved" ? { state: "resolved" } : {},
      replace: true,
    });
  return (
    <Page
      title="Alerts"
      intro="Problems that need your attention. Most resolve themselves when the cause is gone."
    >
      <Group>
        <SegmentedControl
          aria-label="Which alerts"
          value={state}
          onChange={show}
          data={[
            { value: "open", label: "Open" },
            { value: "resolved", label: "Resolved" },
          ]}
        />
      </Group>
      <Loaded query={alerts}>
        {(rows) => (
          <Box opacity={alerts.isPlaceholderData ? 0.5 : 1} aria-busy={alerts.isPlaceholderData}>
            <DataTable
              label="Alerts"
              columns={alertColumns(storeId, state === "resolved", can("member"))}
              rows={rows}
              rowKey={({ alertId }) => alertId}
              more={alerts}
              empty={state === "open" ? <NoneOpen /> : <NoneResolved />}
            />
          </Box>
        )}
      </Loaded>
    </Page>
  );
}

function NoneOpen() {
  return (
    <Empty icon="circle-check" title="No open alerts">
      A double spend, a failing webhook or a wallet near its gap limit would appear here.
    </Empty>
  );
}

function NoneResolved() {
  return (
    <Empty icon="bell" title="No resolved alerts">
      Alerts move here when their cause is gone or somebody resolves them.
    </Empty>
  );
}
