import { SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ServerState } from "../api/admin";
import { apiQuery } from "../api/queries";
import { HealthBadge } from "../kit/format/status";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { ServerAlerts } from "./admin-health/alerts";
import { ChecksSection } from "./admin-health/checks";
import { ServerNodes } from "./admin-health/nodes";
import { ProcessesSection } from "./admin-health/processes";
import { QueuesSection } from "./admin-health/queues";

const EVERY_MS = 10_000;

export function AdminHealthPage() {
  const state = useQuery({ ...apiQuery<ServerState>("/admin/health"), refetchInterval: EVERY_MS });
  return (
    <Page
      title="Health"
      intro={state.data && `Version ${state.data.health.version}, ${state.data.health.network}.`}
      actions={state.data && <HealthBadge status={state.data.health.status} />}
    >
      <Loaded query={state}>
        {(data) => (
          <>
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <ChecksSection checks={data.health.checks} />
              <ServerNodes rails={data.rails} />
            </SimpleGrid>
            <ServerAlerts />
            <QueuesSection state={data} />
            <ProcessesSection state={data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
