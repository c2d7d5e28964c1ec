import { Group, Stack, Text } from "@mantine/core";
import type { StoreHome } from "../../api/home";
import { groupDigits } from "../../kit/format/format-money";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";

type Method = StoreHome["rails"][number];

const NAMES: Record<Method["type"], string> = { "BTC-CHAIN": "Bitcoin node", "BTC-LN": "Lightning node" };

export function NodesSection({ home: { rails } }: { home: StoreHome }) {
  return (
    <Section title="Nodes">
      {rails.length === 0 ? (
        <Text size="sm" c="dimmed">
          No node takes payments for this store yet.
        </Text>
      ) : (
        <Stack gap="md">
          {rails.map((method) => (
            <Node key={method.type} method={method} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

function Node({ method }: { method: Method }) {
  const { type, synchronized, problem, height, lagBlocks } = method;
  const behind = lagBlocks !== null && lagBlocks > 0;
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={600}>
          {NAMES[type]}
        </Text>
        {synchronized && problem === null ? (
          <Status tone={behind ? "warn" : "good"}>{behind ? "catching up" : "up to date"}</Status>
        ) : (
          <Status tone={problem === null ? "warn" : "bad"}>{problem === null ? "behind" : "problem"}</Status>
        )}
      </Group>
      {problem !== null && <Text size="sm">{problem}</Text>}
      {height !== null && (
        <Text size="xs" c="dimmed" className="numeral">
          Block {groupDigits(height)}
          {behind && `, ${groupDigits(lagBlocks)} behind`}
        </Text>
      )}
    </Stack>
  );
}
