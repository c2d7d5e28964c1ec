import { Button, Modal, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { post } from "../../api/call";
import { webhookPath, type Webhook, type WebhookWithSecret } from "../../api/webhooks";
import { useAction } from "../../kit/form/action";
import { DialogFoot } from "../../kit/form/dialog-foot";

const OVERLAPS = [
  { value: "0", label: "Stop now: it has leaked" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days" },
];

interface RotateProps {
  storeId: string;
  webhook: Webhook;
  close: () => void;
  rotated: (secret: string) => void;
}

export function RotateDialog({ opened, ...rotate }: RotateProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={rotate.close} title="Rotate the secret?">
      <Rotate {...rotate} />
    </Modal>
  );
}

function Rotate({ storeId, webhook: { webhookId, dialect }, close, rotated }: RotateProps) {
  const [overlap, setOverlap] = useState("86400");
  const rotate = useAction({
    run: () =>
      post<WebhookWithSecret>(`${webhookPath({ storeId, webhookId })}/rotate-secret`, {
        overlapSeconds: Number(overlap),
      }),
    then({ secret }) {
      close();
      rotated(secret);
    },
  });
  return (
    <Stack>
      {dialect === "greenfield" ? (
        <Text size="sm">
          A new secret is created and shown once. It replaces the old one at once: a plugin that registered
          this webhook itself accepts no request until it has the new secret, or registers again.
        </Text>
      ) : (
        <>
          <Text size="sm">
            A new secret is created and shown once. X-Service-Sig uses it from that moment. In
            webhook-signature the old secret also signs for the time that you choose here.
          </Text>
          <Select
            label="Keep the old secret for"
            data={OVERLAPS}
            value={overlap}
            allowDeselect={false}
            onChange={(value) => setOverlap(value ?? "86400")}
          />
        </>
      )}
      <DialogFoot cancel={close}>
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate secret
        </Button>
      </DialogFoot>
    </Stack>
  );
}
