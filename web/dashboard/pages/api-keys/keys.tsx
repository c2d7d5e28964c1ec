import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { remove } from "../../api/call";
import { apiList } from "../../api/queries";
import { apiKeysPath, type ApiKey, type ApiKeyWithText } from "../../api/settings";
import { useAction } from "../../kit/action";
import { AskingButton } from "../../kit/asking-button";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Icon } from "../../kit/icon";
import { Loaded } from "../../kit/loaded";
import { SecretDialog } from "../../kit/secret-dialog";
import { Section } from "../../kit/section";
import { Time } from "../../kit/time";
import { CreateKeyDialog } from "./create-key";

const columnsFor = (storeId: string): readonly Column<ApiKey>[] => [
  {
    label: "Name",
    main: true,
    render: ({ name }) => (
      <Text fw={600} inherit>
        {name}
      </Text>
    ),
  },
  { label: "Begins with", render: ({ prefix }) => <span className="numeral">…{prefix}…</span> },
  { label: "Created", render: ({ createdAt }) => <Time value={createdAt} /> },
  {
    label: "Last used",
    render: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Time value={lastUsedAt} relative />),
  },
  {
    label: "Expires",
    render: ({ expiresAt }) => (expiresAt === null ? "never" : <Time value={expiresAt} />),
  },
  { label: "", align: "right", render: (key) => <DeleteKey storeId={storeId} apiKey={key} /> },
];

export function KeysSection({ storeId }: { storeId: string }) {
  const keys = useInfiniteQuery(apiList<ApiKey>(apiKeysPath(storeId)));
  const [creating, { open, close }] = useDisclosure();
  const [created, setCreated] = useState<ApiKeyWithText | null>(null);
  const create = (
    <Button leftSection={<Icon name="plus" />} onClick={open}>
      Create API Key
    </Button>
  );
  return (
    <Section
      title="Keys"
      intro="A key may do all that this store can do, so keep it on your server. To replace one, create another, put it into your shop, then delete the old one."
      actions={keys.data?.length === 0 ? undefined : create}
    >
      <Loaded query={keys} lines={2}>
        {(rows) => (
          <DataTable
            label="API keys"
            columns={columnsFor(storeId)}
            rows={rows}
            rowKey={({ id }) => id}
            more={keys}
            empty={
              <Empty icon="key-round" title="No key yet" action={create}>
                Create one and put it into your shop&apos;s settings.
              </Empty>
            }
          />
        )}
      </Loaded>
      <CreateKeyDialog storeId={storeId} opened={creating} close={close} created={setCreated} />
      <SecretDialog
        title={`The key ${created?.name ?? ""}`}
        label="API key"
        secret={created?.apiKey ?? null}
        kept={() => setCreated(null)}
      >
        <Text size="sm">
          It is shown only now. Put it into your shop&apos;s settings, or where your passwords are; if it is
          lost, delete it and create another.
        </Text>
      </SecretDialog>
    </Section>
  );
}

function DeleteKey({ storeId, apiKey: { id, name } }: { storeId: string; apiKey: ApiKey }) {
  const path = apiKeysPath(storeId);
  const erase = useAction({
    run: () => remove(`${path}/${id}`),
    changes: [path],
    done: `The key ${name} is deleted.`,
  });
  const body =
    "What uses it is refused from now on, and keys that were made by it are deleted too. It cannot be brought back.";
  return (
    <AskingButton
      size="xs"
      variant="subtle"
      color="red"
      aria-label={`Delete ${name}`}
      question={{ title: `Delete the key ${name}?`, body, action: "Delete key", danger: true }}
      action={erase}
    >
      Delete
    </AskingButton>
  );
}
