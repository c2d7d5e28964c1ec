import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon";

export function Empty(props: { icon: IconName; title: string; children: ReactNode; action?: ReactNode }) {
  const { icon, title, children, action } = props;
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center" className="empty">
      <Icon name={icon} size={36} />
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw="32rem">
        {children}
      </Text>
      {action}
    </Stack>
  );
}
