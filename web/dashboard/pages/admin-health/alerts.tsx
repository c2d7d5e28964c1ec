import { Button, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ServerAlert } from "../../api/admin";
import { post } from "../../api/call";
import { apiList } from "../../api/queries";
import { useAction } from "../../kit/form/action";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { TextLink } from "../../kit/links";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";

const COLUMNS: readonly Column<ServerAlert>[] = [
  { label: "What", main: true, render: ({ message }) => <Text size="sm">{message}</Text> },
  { label: "Kind", render: ({ kind }) => <span className="numeral">{kind.replaceAll("-", " ")}</span> },
  {
    label: "Store",
    render: ({ storeId }) =>
      storeId === null ? (
        "server"
      ) : (
        <TextLink to="/stores/$storeId/alerts" params={{ storeId }} title={storeId}>
          {storeId.slice(0, 8)}…
        </TextLink>
      ),
  },
  { label: "When", render: ({ at }) => <Time value={at} relative /> },
  { label: "", align: "right", render: (alert) => <Resolve alert={alert} /> },
];

export function ServerAlerts() {
  const alerts = useInfiniteQuery({
    ...apiList<ServerAlert>("/admin/alerts", { state: "open", limit: 20 }),
    refetchInterval: 30_000,
  });
  return (
    <Section title="Open alerts" intro="Of the server and of all its stores.">
      <Loaded query={alerts} lines={2}>
        {(rows) => (
          <DataTable
            label="Open alerts"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ alertId }) => alertId}
            more={alerts}
            empty={
              <Empty icon="circle-check" title="No open alerts">
                Problems that need your attention appear here.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Section>
  );
}

function Resolve({ alert: { alertId } }: { alert: ServerAlert }) {
  const resolve = useAction({
    run: () => post(`/admin/alerts/${alertId}/resolve`),
    changes: ["/admin/alerts"],
    done: "The alert is closed.",
  });
  return (
    <Button size="xs" variant="default" loading={resolve.isPending} onClick={() => resolve.mutate()}>
      Resolve
    </Button>
  );
}
