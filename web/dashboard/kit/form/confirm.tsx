import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";

export interface Question {
  title: string;
  body: ReactNode;
  action: string;
  danger?: boolean;
}

/** Resolves to whether it was agreed to. */
export function confirm({ title, body, action, danger = false }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: typeof body === "string" ? <Text size="sm">{body}</Text> : body,
      labels: { confirm: action, cancel: "Cancel" },
      confirmProps: danger ? { color: "red.9" } : {},
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    });
  });
}
