import { Button, Group } from "@mantine/core";
import type { ReactElement } from "react";

export function DialogFoot({ cancel, children }: { cancel: () => void; children: ReactElement }) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
      {children}
    </Group>
  );
}
