import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export function Section(props: {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { title, intro, actions, children } = props;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} component="section">
      <Stack gap="md">
        <Stack gap={2}>
          <Group justify="space-between" gap="xs">
            <Title order={2}>{title}</Title>
            {actions}
          </Group>
          {intro !== undefined && (
            <Text c="dimmed" size="sm">
              {intro}
            </Text>
          )}
        </Stack>
        {children}
      </Stack>
    </Paper>
  );
}
