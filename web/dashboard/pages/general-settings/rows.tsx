import { ActionIcon, Button, Group } from "@mantine/core";
import { Icon } from "../../kit/icon";

export function RemoveRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={onClick}>
      <Icon name="trash-2" size={16} />
    </ActionIcon>
  );
}

export function AddRow({ label, full, onClick }: { label: string; full: boolean; onClick: () => void }) {
  return (
    <Group>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        disabled={full}
        onClick={onClick}
      >
        {label}
      </Button>
    </Group>
  );
}
