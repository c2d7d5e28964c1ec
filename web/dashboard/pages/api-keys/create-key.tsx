import { Button, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { post } from "../../api/call";
import { apiKeysPath, type ApiKeyWithText } from "../../api/settings";
import { useAction } from "../../kit/action";

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
const LIFETIMES = [
  { value: NEVER, label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];
const DAY_MS = 86_400_000;

function CreateKeyForm({ storeId, close, created }: CreateKeyProps) {
  const path = apiKeysPath(storeId);
  const form = useForm({ initialValues: { name: "", expiresAt: NEVER } });
  const create = useAction({
    run: ({ name, expiresAt }: typeof form.values) =>
      post<ApiKeyWithText>(path, {
        name: name.trim(),
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
          description="What will use it, so that you know which one to delete one day."
          placeholder="Web shop"
          maxLength={100}
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Select label="Expires" data={LIFETIMES} allowDeselect={false} {...form.getInputProps("expiresAt")} />
        <Button type="submit" loading={create.isPending}>
          Create
        </Button>
      </Stack>
    </form>
  );
}
