import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { remove } from "../../api/call";
import { useRole } from "../../api/role";
import { webhookPath, type Webhook } from "../../api/webhooks";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { Icon } from "../../kit/icon";
import { SecretDialog } from "../../kit/form/secret-dialog";
import { RotateDialog } from "./rotate";

export function WebhookActions({ storeId, webhook }: { storeId: string; webhook: Webhook }) {
  const { can } = useRole(storeId);
  return can("owner") ? (
    <>
      <RotateSecret storeId={storeId} webhook={webhook} />
      <DeleteWebhook storeId={storeId} webhook={webhook} />
    </>
  ) : null;
}

function RotateSecret({ storeId, webhook }: { storeId: string; webhook: Webhook }) {
  const [asking, { open, close }] = useDisclosure();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Button variant="default" leftSection={<Icon name="rotate-ccw" size={16} />} onClick={open}>
        Rotate secret
      </Button>
      <RotateDialog storeId={storeId} webhook={webhook} opened={asking} close={close} rotated={setSecret} />
      <SecretDialog title="The new secret" label="Secret" secret={secret} kept={() => setSecret(null)}>
        <Text size="sm">
          Requests are signed with it from now on. It is shown only now: store it where your shop reads its
          secrets.
        </Text>
      </SecretDialog>
    </>
  );
}

function DeleteWebhook({ storeId, webhook: { webhookId, url } }: { storeId: string; webhook: Webhook }) {
  const navigate = useNavigate();
  const drop = useAction({
    run: () => remove(webhookPath({ storeId, webhookId })),
    done: "The webhook is deleted.",
    then: () => navigate({ to: "/stores/$storeId/webhooks", params: { storeId } }),
  });
  const question = {
    title: "Delete this webhook?",
    body: `${new URL(url).host} no longer receives events. Its deliveries can still be read on the pages of their invoices.`,
    action: "Delete webhook",
    danger: true,
  };
  return (
    <AskingButton
      variant="default"
      leftSection={<Icon name="trash-2" size={16} />}
      question={question}
      action={drop}
    >
      Delete
    </AskingButton>
  );
}
