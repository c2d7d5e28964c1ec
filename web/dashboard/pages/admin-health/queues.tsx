import { Anchor, Group, Text } from "@mantine/core";
import type { ServerState } from "../../api/admin";
import { BASE_URL } from "../../api/base";
import { DataTable, type Column } from "../../kit/data-table";
import { groupDigits } from "../../kit/format/format-money";
import { Section } from "../../kit/section";

type Counts = NonNullable<ServerState["queues"]>[string];
type Row = Counts & { name: string };

const count = (label: string, value: (row: Row) => number): Column<Row> => ({
  label,
  align: "right",
  render: (row) => <span className="numeral">{groupDigits(value(row))}</span>,
});

const COLUMNS: readonly Column<Row>[] = [
  {
    label: "Queue",
    main: true,
    render: ({ name }) => (
      <Text fw={600} inherit>
        {name}
      </Text>
    ),
  },
  count("Waiting", ({ waiting, prioritized }) => waiting + prioritized),
  count("Delayed", ({ delayed }) => delayed),
  count("Running", ({ active }) => active),
  count("Failed", ({ failed }) => failed),
];

export function QueuesSection({ state: { queues, openDeliveries } }: { state: ServerState }) {
  const { pending, sending } = openDeliveries;
  return (
    <Section
      title="Queues"
      intro={`Webhook deliveries: ${groupDigits(pending)} waiting, ${groupDigits(sending)} being sent.`}
      actions={
        // Not of this application.
        <Anchor href={new URL("admin/queues", BASE_URL).href} size="sm">
          Open the queue board
        </Anchor>
      }
    >
      {queues === null ? (
        <Group>
          <Text size="sm">
            The queues do not answer. Nothing is lost: pending work is in the database, and is done when they
            are back.
          </Text>
        </Group>
      ) : (
        <DataTable
          label="Queues"
          columns={COLUMNS}
          rows={Object.entries(queues).map(([name, counts]) => ({ name, ...counts }))}
          rowKey={({ name }) => name}
          empty={null}
        />
      )}
    </Section>
  );
}
