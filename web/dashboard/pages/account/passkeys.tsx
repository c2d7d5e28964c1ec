import { Alert, Button, Group, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { removePasskey, type Account, type Passkey } from "../../api/account";
import { hasPasskeys, registerPasskey } from "../../api/passkey";
import { useAction } from "../../kit/action";
import { AskingButton } from "../../kit/asking-button";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Icon } from "../../kit/icon";
import { Section } from "../../kit/section";
import { Time } from "../../kit/time";

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
      intro="Log in with your fingerprint, face or security key: nothing to type, nothing that can be stolen by a false page."
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
    changes: ["/account"],
    done: "You can log in with it from now on.",
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
  const body = "Nobody can log in with it any more. Remove it from the device too.";
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
      This browser can add passkeys only where the address begins with https.
    </Alert>
  );
}
