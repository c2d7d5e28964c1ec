import { Button, Group, Switch } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { apiList } from "../api/queries";
import { useMayCreateStores } from "../api/session";
import type { ListedStore } from "../api/shapes";
import { DataTable, type Column } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { Icon } from "../kit/icon";
import { RowLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { Status } from "../kit/format/status";
import { Time } from "../kit/format/time";
import { CreateStoreDialog } from "./stores/create-store";
import { InvitationsSection } from "./stores/invitations";
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
  const create = useMayCreateStores() && (
    <Button leftSection={<Icon name="plus" />} onClick={open}>
      New store
    </Button>
  );
  return (
    <Page title="Stores" intro="Each store has its own wallet, invoices, keys and webhooks." actions={create}>
      <InvitationsSection />
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
    <Empty icon="store" title="No stores yet" action={action}>
      {action === false
        ? "Invoices belong to a store. On this server only admins create stores: ask one to create yours, or an owner to make you a member."
        : "Invoices belong to a store. Create the first one, then set up where payments go."}
    </Empty>
  );
}

function NoArchivedStores() {
  return (
    <Empty icon="archive" title="No archived stores">
      You can archive a store that you no longer use: it disappears from the lists, and payments to it are
      still detected.
    </Empty>
  );
}
