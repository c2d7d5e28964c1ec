import { Button, Modal, Stack } from "@mantine/core";
import { post } from "../../api/call";
import { EVENTS, webhooksPath, type WebhookWithSecret } from "../../api/webhooks";
import { useAction } from "../../kit/form/action";
import { DialogFoot } from "../../kit/form/dialog-foot";
import { useWebhookForm, WebhookFields, type WebhookValues } from "./fields";

interface RegisterProps {
  storeId: string;
  close: () => void;
  registered: (webhook: WebhookWithSecret) => void;
}

export function RegisterDialog({ opened, ...form }: RegisterProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.close} title="Register a webhook">
      <RegisterForm {...form} />
    </Modal>
  );
}

function RegisterForm({ storeId, close, registered }: RegisterProps) {
  const path = webhooksPath(storeId);
  const form = useWebhookForm({ url: "", events: EVENTS.map(([type]) => type), enabled: true }, true);
  const register = useAction({
    run: (values: WebhookValues) => post<WebhookWithSecret>(path, { ...values, url: values.url.trim() }),
    form,
    changes: [path],
    then(webhook) {
      close();
      registered(webhook);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => register.mutate(values))} noValidate>
      <Stack>
        <WebhookFields form={form} native />
        <DialogFoot cancel={close}>
          <Button type="submit" loading={register.isPending}>
            Register
          </Button>
        </DialogFoot>
      </Stack>
    </form>
  );
}
