import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { remove } from "../../api/call";
import { apiList } from "../../api/queries";
import { apiKeysPath, type ApiKey, type ApiKeyWithText } from "../../api/settings";
import { webhooksPath } from "../../api/webhooks";
import { useAction } from "../../kit/form/action";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Icon } from "../../kit/icon";
import { Loaded } from "../../kit/loaded";
import { KEY_ACCESS_WORDS } from "../../kit/format/key-access";
import { makerOf } from "../../kit/format/maker";
import { SecretDialog } from "../../kit/form/secret-dialog";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";
import { confirmKeyEnd, type KeyEnd } from "./confirm-key-end";
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
  { label: "Starts with", render: ({ prefix }) => <span className="numeral">…{prefix}…</span> },
  {
    label: "May",
    render: ({ access, permissions }) => (
      <span title={permissions?.join(", ")}>
        {access === null ? `shop plugin, ${permissions?.length} permissions` : KEY_ACCESS_WORDS[access]}
      </span>
    ),
  },
  { label: "Created", render: ({ createdAt }) => <Time value={createdAt} /> },
  { label: "By", render: (key) => <span className="breakable">{makerOf(key)}</span> },
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
      intro="A key gives the access to this store that it was made for: keep it on your server. To replace one, create a new key, put it into your shop, then delete the old one."
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
              <Empty icon="key-round" title="No API keys yet" action={create}>
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
          It is shown only now. Put it into your shop&apos;s settings or store it with your passwords. If you
          lose it, delete it and create a new one.
        </Text>
      </SecretDialog>
    </Section>
  );
}

function DeleteKey({ storeId, apiKey }: { storeId: string; apiKey: ApiKey }) {
  const { id, name } = apiKey;
  const path = apiKeysPath(storeId);
  const erase = useAction({
    run: (choice: KeyEnd) => remove(`${path}/${id}`, { ...choice }),
    changes: [path, webhooksPath(storeId)],
    done: `The key ${name} is deleted.`,
  });
  const ask = async (): Promise<void> => {
    const choice = await confirmKeyEnd(apiKey);
    if (choice !== null) erase.mutate(choice);
  };
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      aria-label={`Delete ${name}`}
      loading={erase.isPending}
      onClick={() => void ask()}
    >
      Delete
    </Button>
  );
}
