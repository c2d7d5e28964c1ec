import { Button, Modal, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { patch } from "../../api/call";
import { useRole } from "../../api/role";
import { webhooksPath, webhookPath, type Webhook } from "../../api/webhooks";
import { useAction } from "../../kit/form/action";
import { DialogFoot } from "../../kit/form/dialog-foot";
import { Icon } from "../../kit/icon";
import { useWebhookForm, WebhookFields, type WebhookValues } from "../webhooks/fields";

export function EditWebhook({ storeId, webhook }: { storeId: string; webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure();
  const { can } = useRole(storeId);
  if (!can("owner")) return null;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="pencil" size={14} />}
        aria-label="Edit the webhook"
        onClick={open}
      >
        Edit
      </Button>
      <Modal opened={opened} onClose={close} title="Edit the webhook">
        <EditForm storeId={storeId} webhook={webhook} close={close} />
      </Modal>
    </>
  );
}

function EditForm({ storeId, webhook, close }: { storeId: string; webhook: Webhook; close: () => void }) {
  const { webhookId, url, events, enabled, dialect } = webhook;
  const native = dialect === "native";
  const form = useWebhookForm({ url, events, enabled }, native);
  const save = useAction({
    run: ({ events: chosen, ...values }: WebhookValues) =>
      patch(webhookPath({ storeId, webhookId }), {
        ...values,
        url: values.url.trim(),
        ...(native ? { events: chosen } : {}),
      }),
    form,
    changes: [webhooksPath(storeId)],
    done: "Saved",
    then: close,
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <WebhookFields form={form} native={native} />
        <DialogFoot cancel={close}>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </DialogFoot>
      </Stack>
    </form>
  );
}
