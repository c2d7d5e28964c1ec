import { ActionIcon, Button, Group } from "@mantine/core";
import { Icon } from "../../kit/icon";

/** Takes one row out of a list of fields. */
export function RemoveRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={onClick}>
      <Icon name="trash-2" size={16} />
    </ActionIcon>
  );
}

/** Puts another row at the end of a list of fields. */
export function AddRow({
  label,
  full,
  onClick,
}: {
  label: string;
  /** There are as many as may be. */
  full: boolean;
  onClick: () => void;
}) {
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
