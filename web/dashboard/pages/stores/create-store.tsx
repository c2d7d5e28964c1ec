import { Button, Modal, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { post } from "../../api/call";
import type { Store } from "../../api/shapes";
import { useAction } from "../../kit/form/action";

export function CreateStoreDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="New store">
      <CreateStoreForm />
    </Modal>
  );
}

function CreateStoreForm() {
  const navigate = useNavigate();
  const form = useForm({ initialValues: { name: "", defaultCurrency: "USD" } });
  const create = useAction({
    run: (values: typeof form.values) => post<Store>("/stores", values),
    form,
    changes: ["/stores"],
    done: ({ name }) => `${name} is ready. Now set up where payments go.`,
    then: ({ storeId }) => navigate({ to: "/stores/$storeId/settings/payment-methods", params: { storeId } }),
  });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <TextInput
          label="Name"
          description="Your customers see it when they pay."
          maxLength={100}
          data-autofocus
          required
          {...form.getInputProps("name")}
        />
        <TextInput
          label="Currency"
          description="Used when an invoice names no currency: USD, EUR, BTC, SATS …"
          required
          {...form.getInputProps("defaultCurrency")}
          onChange={(event) => form.setFieldValue("defaultCurrency", event.currentTarget.value.toUpperCase())}
        />
        <Button type="submit" loading={create.isPending}>
          Create store
        </Button>
      </Stack>
    </form>
  );
}
