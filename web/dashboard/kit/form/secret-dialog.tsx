import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyField } from "../copy";

interface SecretDialogProps {
  title: string;
  label: string;
  /** Null: closed. */
  secret: string | null;
  kept: () => void;
  children: ReactNode;
  action?: string;
}

/** Closed only by its button: a click beside it would lose it. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, label, secret, kept, children, action = "I have saved it" } = props;
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
        <CopyField label={label} value={secret ?? ""} />
        <Group justify="flex-end">
          <Button onClick={kept}>{action}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
