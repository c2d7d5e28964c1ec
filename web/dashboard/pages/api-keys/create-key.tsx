import { Button, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { post } from "../../api/call";
import { apiKeysPath, type ApiKeyWithText } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { KEY_ACCESS_WORDS, type KeyAccess } from "../../kit/format/key-access";

interface CreateKeyProps {
  storeId: string;
  close: () => void;
  created: (key: ApiKeyWithText) => void;
}

export function CreateKeyDialog({ opened, ...form }: CreateKeyProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.close} title="Create API Key">
      <CreateKeyForm {...form} />
    </Modal>
  );
}

const NEVER = "never";
/** A forgotten key expires. */
const USUAL = "365";
const LIFETIMES = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: USUAL, label: "In a year" },
  { value: NEVER, label: "Never" },
];
const ACCESSES = Object.entries(KEY_ACCESS_WORDS).map(([value, label]) => ({ value, label }));
const ACCESS_HINTS: Readonly<Record<KeyAccess, string>> = {
  full: "All of the API: also webhooks, settings and other keys.",
  "create-and-read-invoices": "For a shop or a till: nothing but invoices, their events and rates.",
  read: "For accounting and reports: it changes nothing.",
};
const INITIAL: { name: string; access: KeyAccess; expiresAt: string } = {
  name: "",
  access: "full",
  expiresAt: USUAL,
};
const DAY_MS = 86_400_000;

function CreateKeyForm({ storeId, close, created }: CreateKeyProps) {
  const path = apiKeysPath(storeId);
  const form = useForm({ initialValues: INITIAL });
  const create = useAction({
    run: ({ name, access, expiresAt }: typeof form.values) =>
      post<ApiKeyWithText>(path, {
        name: name.trim(),
        access,
        ...(expiresAt === NEVER
          ? {}
          : { expiresAt: new Date(Date.now() + Number(expiresAt) * DAY_MS).toISOString() }),
      }),
    form,
    changes: [path],
    then(key) {
      close();
      created(key);
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <TextInput
          label="Name"
          description="The program that uses it, so that you can identify the key later."
          placeholder="Web shop"
          maxLength={100}
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Select
          label="Access"
          description={ACCESS_HINTS[form.values.access]}
          data={ACCESSES}
          allowDeselect={false}
          {...form.getInputProps("access")}
        />
        <Select
          label="Expires"
          description="The key is refused after this time. Replace it before then."
          data={LIFETIMES}
          allowDeselect={false}
          {...form.getInputProps("expiresAt")}
        />
        <Button type="submit" loading={create.isPending}>
          Create
        </Button>
      </Stack>
    </form>
  );
}
