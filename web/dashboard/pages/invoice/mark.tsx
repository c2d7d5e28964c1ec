import { Button, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { post } from "../../api/call";
import { invoicePath, invoicesPath, type Invoice } from "../../api/invoices";
import { useAction } from "../../kit/form/action";
import { DialogFoot } from "../../kit/form/dialog-foot";

export type Mark = "Settled" | "Invalid";

const WORDS: Record<Mark, { title: string; body: string; action: string; done: string }> = {
  Settled: {
    title: "Mark as settled?",
    body: "Your shop receives the event that the invoice is paid, and releases the order. Only another mark by hand reverts it.",
    action: "Mark settled",
    done: "The invoice is marked settled.",
  },
  Invalid: {
    title: "Mark as invalid?",
    body: "Your shop receives the event that the invoice does not count as paid. Later payments are recorded but change nothing. Only another mark by hand reverts it.",
    action: "Mark invalid",
    done: "The invoice is marked invalid.",
  },
};

export function MarkDialog(props: { invoice: Invoice; mark: Mark | null; close: () => void }) {
  const { invoice, mark, close } = props;
  return (
    <Modal opened={mark !== null} onClose={close} title={mark === null ? "" : WORDS[mark].title}>
      {mark !== null && <MarkForm invoice={invoice} mark={mark} close={close} />}
    </Modal>
  );
}

function MarkForm({ invoice, mark, close }: { invoice: Invoice; mark: Mark; close: () => void }) {
  const { body, action, done } = WORDS[mark];
  const form = useForm({ initialValues: { note: "" } });
  const save = useAction({
    run: ({ note }: typeof form.values) =>
      post(`${invoicePath(invoice.storeId, invoice.invoiceId)}/status`, {
        status: mark,
        ...(note.trim() === "" ? {} : { note: note.trim() }),
      }),
    form,
    changes: [invoicesPath(invoice.storeId)],
    done,
    then: close,
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack>
        <Text size="sm">{body}</Text>
        <Textarea
          label="Note (optional)"
          description="Shown in the history: why, and who agreed."
          autosize
          minRows={2}
          maxLength={500}
          data-autofocus
          {...form.getInputProps("note")}
        />
        <DialogFoot cancel={close}>
          <Button type="submit" loading={save.isPending} {...(mark === "Invalid" ? { color: "red.9" } : {})}>
            {action}
          </Button>
        </DialogFoot>
      </Stack>
    </form>
  );
}
