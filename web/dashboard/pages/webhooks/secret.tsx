import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyField } from "../../kit/copy";

interface SecretDialogProps {
  title: string;
  /** Null: closed. */
  secret: string | null;
  kept: () => void;
  /** What it is for, and since when. */
  children: ReactNode;
}

/** A secret that is shown once. Closed only by saying so: a click beside it would lose it. */
export function SecretDialog({ title, secret, kept, children }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={kept}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        {children}
        <CopyField label="Secret" value={secret ?? ""} />
        <Group justify="flex-end">
          <Button onClick={kept}>I have kept it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
