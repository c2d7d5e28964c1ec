import { Button, Group, Modal, NumberInput, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { post } from "../../api/call";
import { paymentLinksPath, type PaymentLink } from "../../api/payment-links";
import { useAction } from "../../kit/form/action";
import { DialogFoot } from "../../kit/form/dialog-foot";
import { bodyOf, type LinkValues } from "./values";

interface NewLinkProps {
  storeId: string;
  currency: string;
  close: () => void;
  created: (link: PaymentLink) => void;
}

export function NewLinkDialog({ opened, ...form }: NewLinkProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.close} title="New payment link">
      <NewLinkForm {...form} />
    </Modal>
  );
}

const useLinkForm = (currency: string) =>
  useForm<LinkValues>({
    initialValues: {
      description: "",
      currency,
      kind: "amounts",
      amounts: "",
      minAmount: "",
      maxAmount: "",
      maxUses: "",
      maxPerDay: 1_000,
      endsAt: "",
      orderPrefix: "",
    },
  });
type Form = ReturnType<typeof useLinkForm>;

function NewLinkForm({ storeId, currency, close, created }: NewLinkProps) {
  const form = useLinkForm(currency);
  const path = paymentLinksPath(storeId);
  const create = useAction({
    run: (values: LinkValues) => post<PaymentLink>(path, bodyOf(values)),
    form,
    changes: [path],
    then(link) {
      close();
      created(link);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
      <Stack>
        <Price form={form} />
        <Limits form={form} />
        <DialogFoot cancel={close}>
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </DialogFoot>
      </Stack>
    </form>
  );
}

function Price({ form }: { form: Form }) {
  return (
    <>
      <TextInput
        label="Description"
        description="What is paid for. Your customer sees it."
        maxLength={200}
        required
        data-autofocus
        {...form.getInputProps("description")}
      />
      <TextInput
        label="Currency"
        description="Any ISO 4217 code, BTC or SATS."
        required
        {...form.getInputProps("currency")}
      />
      <SegmentedControl
        aria-label="Price"
        data={[
          { value: "amounts", label: "Fixed, or a choice" },
          { value: "own", label: "Entered by the customer" },
        ]}
        {...form.getInputProps("kind")}
      />
      {form.values.kind === "amounts" ? (
        <TextInput
          label="Amounts"
          description="One, or several to choose from with blanks between them."
          placeholder="5 10 25"
          required
          {...form.getInputProps("amounts")}
        />
      ) : (
        <Group grow align="flex-start">
          <TextInput label="Least" placeholder="0.50" required {...form.getInputProps("minAmount")} />
          <TextInput label="Most" placeholder="500" required {...form.getInputProps("maxAmount")} />
        </Group>
      )}
    </>
  );
}

function Limits({ form }: { form: Form }) {
  return (
    <>
      <NumberInput
        label="Uses (optional)"
        description="How many invoices may be open or paid."
        min={1}
        max={10_000}
        allowDecimal={false}
        {...form.getInputProps("maxUses")}
      />
      <NumberInput
        label="Invoices a day"
        description="Paid or not, so that nobody fills your store."
        min={1}
        max={10_000}
        allowDecimal={false}
        required
        {...form.getInputProps("maxPerDay")}
      />
      <TextInput
        label="Ends (optional)"
        description="In your own time."
        type="datetime-local"
        {...form.getInputProps("endsAt")}
      />
      <TextInput
        label="Order IDs begin with (optional)"
        description="A number follows, which counts up."
        placeholder="till-"
        maxLength={40}
        {...form.getInputProps("orderPrefix")}
      />
    </>
  );
}
