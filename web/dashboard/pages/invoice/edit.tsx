import { Button, JsonInput, Modal, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { patch } from "../../api/call";
import { invoicePath, type Invoice } from "../../api/invoices";
import { useAction } from "../../kit/form/action";
import { Icon } from "../../kit/icon";
import { mergeOf, readMetadata } from "./merge-metadata";

export function EditInvoice({ invoice }: { invoice: Invoice }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button size="xs" variant="default" leftSection={<Icon name="pencil" size={14} />} onClick={open}>
        Edit
      </Button>
      <Modal opened={opened} onClose={close} title="Edit the invoice" size="lg">
        <EditForm invoice={invoice} close={close} />
      </Modal>
    </>
  );
}

function EditForm({ invoice, close }: { invoice: Invoice; close: () => void }) {
  const { orderId: _, ...own } = invoice.metadata;
  const path = invoicePath(invoice.storeId, invoice.invoiceId);
  const form = useForm({
    initialValues: { metadata: JSON.stringify(own, null, 2), redirectUrl: invoice.redirectUrl ?? "" },
    validate: {
      metadata: (text) =>
        readMetadata(text) === null ? 'Must be a JSON object such as {"cart": ["tea"]}.' : null,
    },
  });
  const save = useAction({
    run: ({ metadata, redirectUrl }: typeof form.values) =>
      patch(path, {
        metadata: mergeOf(own, readMetadata(metadata) ?? own),
        redirectUrl: redirectUrl || null,
      }),
    form,
    changes: [path],
    done: "Saved",
    then: close,
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack>
        <TextInput
          label="Customer returns to (optional)"
          description="{invoiceId} and {orderId} are filled in."
          type="url"
          data-autofocus
          {...form.getInputProps("redirectUrl")}
        />
        <JsonInput
          label="Metadata"
          description="Custom JSON. Sent with future events; past events keep theirs. The order ID cannot be changed."
          autosize
          minRows={6}
          maxRows={18}
          {...form.getInputProps("metadata")}
        />
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
