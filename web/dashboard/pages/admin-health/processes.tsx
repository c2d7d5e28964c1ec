import { Text } from "@mantine/core";
import type { ServerState } from "../../api/admin";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";

type Process = ServerState["processes"][number];
type Lease = ServerState["leases"][number];

const PROCESSES: readonly Column<Process>[] = [
  {
    label: "Worker",
    main: true,
    render: ({ worker }) => (
      <Text fw={600} inherit>
        {worker}
      </Text>
    ),
  },
  { label: "Process", render: ({ instanceId }) => <span className="breakable">{instanceId}</span> },
  { label: "Started", render: ({ startedAt }) => <Time value={startedAt} /> },
  { label: "Last heartbeat", render: ({ beatAt }) => <Time value={beatAt} relative /> },
];

const LEASES: readonly Column<Lease>[] = [
  {
    label: "Task",
    main: true,
    render: ({ name }) => (
      <Text fw={600} inherit>
        {name}
      </Text>
    ),
  },
  { label: "Process", render: ({ holder }) => <span className="breakable">{holder}</span> },
  { label: "Until", render: ({ expiresAt }) => <Time value={expiresAt} /> },
];

export function ProcessesSection({ state: { processes, leases } }: { state: ServerState }) {
  return (
    <>
      <Section title="Processes" intro="Background processes of this server.">
        <DataTable
          label="Processes"
          columns={PROCESSES}
          rows={processes}
          rowKey={({ instanceId, worker }) => `${instanceId} ${worker}`}
          empty={
            <Empty icon="server" title="No worker is running">
              Payments are not detected and no webhook is sent until one is started.
            </Empty>
          }
        />
      </Section>
      {leases.length > 0 && (
        <Section title="Tasks that run in one process at a time">
          <DataTable label="Tasks" columns={LEASES} rows={leases} rowKey={({ name }) => name} empty={null} />
        </Section>
      )}
    </>
  );
}
