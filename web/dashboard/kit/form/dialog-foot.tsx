import { Button, Group } from "@mantine/core";
import type { ReactElement } from "react";

/** A dialog's last line: out of it, or on with the button that does what it is for. */
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
