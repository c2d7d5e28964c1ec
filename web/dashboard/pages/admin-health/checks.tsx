import { Group, Stack, Text } from "@mantine/core";
import type { ServerState } from "../../api/admin";
import { Section } from "../../kit/section";
import { HealthBadge } from "../../kit/format/status";

type Checks = ServerState["health"]["checks"];

const NAMES: Record<keyof Checks, string> = {
  database: "Database",
  queue: "Queues",
  bitcoin: "Bitcoin node",
  lightning: "Lightning node",
  workers: "Workers",
};

export function ChecksSection({ checks }: { checks: Checks }) {
  return (
    <Section title="Dependencies">
      <Stack gap="sm">
        {(Object.keys(NAMES) as (keyof Checks)[]).map((name) => (
          <Stack key={name} gap={2}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={600}>
                {NAMES[name]}
              </Text>
              <HealthBadge status={checks[name].status} />
            </Group>
            {checks[name].reason !== undefined && <Text size="sm">{checks[name].reason}</Text>}
          </Stack>
        ))}
      </Stack>
    </Section>
  );
}
