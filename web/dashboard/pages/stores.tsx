import { Button, Group, Switch } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { apiList } from "../api/queries";
import type { ListedStore } from "../api/shapes";
import { DataTable, type Column } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { Icon } from "../kit/icon";
import { RowLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { Status } from "../kit/status";
import { Time } from "../kit/time";
import { CreateStoreDialog } from "./stores/create-store";
import { StoreMenu } from "./stores/store-menu";

const COLUMNS: readonly Column<ListedStore>[] = [
  {
    label: "Name",
    main: true,
    render: ({ storeId, name }) => (
      <RowLink to="/stores/$storeId" params={{ storeId }}>
        {name}
      </RowLink>
    ),
  },
  { label: "Your role", render: ({ role, member }) => (member ? role : "as server admin") },
  {
    label: "State",
    render: ({ archived }) =>
      archived ? (
        <Status tone="calm" icon="archive">
          archived
        </Status>
      ) : (
        <Status tone="good">active</Status>
      ),
  },
  { label: "Created", render: ({ createdAt }) => <Time value={createdAt} /> },
  {
    label: "",
    align: "right",
    render: (store) => (store.role === "owner" ? <StoreMenu store={store} /> : null),
  },
];

export function StoresPage() {
  const [archived, setArchived] = useState(false);
  const [creating, { open, close }] = useDisclosure();
  const stores = useInfiniteQuery(apiList<ListedStore>("/stores", { archived }));
  const create = (
    <Button leftSection={<Icon name="plus" />} onClick={open}>
      New store
    </Button>
  );
  return (
    <Page
      title="Stores"
      intro="Each store has a wallet, invoices, keys and webhooks of its own."
      actions={create}
    >
      <Group>
        <Switch
          label="Archived stores"
          checked={archived}
          onChange={(event) => setArchived(event.currentTarget.checked)}
        />
      </Group>
      <Loaded query={stores}>
        {(rows) => (
          <DataTable
            label="Stores"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ storeId }) => storeId}
            more={stores}
            empty={archived ? <NoArchivedStores /> : <NoStores action={create} />}
          />
        )}
      </Loaded>
      <CreateStoreDialog opened={creating} onClose={close} />
    </Page>
  );
}

function NoStores({ action }: { action: ReactNode }) {
  return (
    <Empty icon="store" title="No store yet" action={action}>
      A store is what your customers buy from. Create the first one, then tell it where payments go.
    </Empty>
  );
}

function NoArchivedStores() {
  return (
    <Empty icon="archive" title="Nothing is archived">
      A store that you no longer use can be archived: it disappears from the lists, and payments to it are
      still noticed.
    </Empty>
  );
}
