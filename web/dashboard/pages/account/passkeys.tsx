import { Alert, Button, Group, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { removePasskey, type Account, type Passkey } from "../../api/account";
import { hasPasskeys, registerPasskey } from "../../api/passkey";
import { useAction } from "../../kit/form/action";
import { AskingButton } from "../../kit/form/asking-button";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Icon } from "../../kit/icon";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";

const COLUMNS: readonly Column<Passkey>[] = [
  { label: "Name", main: true, render: ({ name }) => name },
  { label: "Added", render: ({ createdAt }) => <Time value={createdAt} /> },
  {
    label: "Last used",
    render: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Time value={lastUsedAt} relative />),
  },
  { label: "", align: "right", render: (passkey) => <RemovePasskey passkey={passkey} /> },
];

export function PasskeysSection({ account }: { account: Account }) {
  return (
    <Section
      title="Passkeys"
      intro="Log in with your fingerprint, face or security key: there is nothing to type, and nothing that a fake page can steal."
    >
      <DataTable
        label="Passkeys"
        columns={COLUMNS}
        rows={account.passkeys}
        rowKey={({ passkeyId }) => passkeyId}
        empty={
          <Empty icon="fingerprint-pattern" title="No passkey yet">
            Name this device and add it.
          </Empty>
        }
      />
      {hasPasskeys() ? <AddPasskey /> : <NoPasskeysHere />}
    </Section>
  );
}

function AddPasskey() {
  const form = useForm({ initialValues: { name: "" } });
  const add = useAction({
    run: ({ name }: typeof form.values) => registerPasskey(name),
    form,
    changes: ["/account", "/session"],
    done: "You can now log in with it.",
    then: () => form.reset(),
  });
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
      <Group align="flex-end">
        <TextInput
          label="Name of the new passkey"
          placeholder="Laptop"
          maxLength={100}
          required
          {...form.getInputProps("name")}
        />
        <Button type="submit" variant="default" leftSection={<Icon name="plus" />} loading={add.isPending}>
          Add passkey
        </Button>
      </Group>
    </form>
  );
}

function RemovePasskey({ passkey: { passkeyId, name } }: { passkey: Passkey }) {
  const remove = useAction({
    run: () => removePasskey(passkeyId),
    changes: ["/account"],
    done: `${name} is removed.`,
  });
  const body = "It can no longer be used to log in. Remove it from the device too.";
  return (
    <AskingButton
      size="xs"
      variant="subtle"
      color="red"
      question={{ title: `Remove ${name}?`, body, action: "Remove", danger: true }}
      action={remove}
    >
      Remove
    </AskingButton>
  );
}

function NoPasskeysHere() {
  return (
    <Alert color="gray" icon={<Icon name="info" />}>
      This browser can add passkeys over https only.
    </Alert>
  );
}
