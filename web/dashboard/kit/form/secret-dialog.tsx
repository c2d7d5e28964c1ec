import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyField } from "../copy";

interface SecretDialogProps {
  title: string;
  /** The name of what is shown: "API key". */
  label: string;
  /** Null: closed. */
  secret: string | null;
  kept: () => void;
  /** What it is for, and what to do with it. */
  children: ReactNode;
  /** What the button says. */
  action?: string;
}

/** Shown once. Closed only by its button: a click beside it would lose it. */
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
