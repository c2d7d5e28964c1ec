import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ListedUser } from "../api/admin";
import { apiList } from "../api/queries";
import { DataTable, type Column } from "../kit/data-table";
import { Empty } from "../kit/empty";
import { Icon } from "../kit/icon";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { SecretDialog } from "../kit/form/secret-dialog";
import { Status } from "../kit/format/status";
import { Time } from "../kit/format/time";
import { InviteDialog } from "./admin-users/invite";
import type { ShownLink } from "./admin-users/shown-link";
import { UserMenu } from "./admin-users/user-menu";

const columnsFor = (shown: (link: ShownLink) => void): readonly Column<ListedUser>[] => [
  {
    label: "E-mail",
    main: true,
    render: ({ email }) => (
      <Text fw={600} inherit className="breakable">
        {email}
      </Text>
    ),
  },
  { label: "State", render: (user) => <UserState user={user} /> },
  { label: "Second factor", render: secondFactor },
  { label: "Stores", align: "right", render: ({ stores }) => stores },
  { label: "Created", render: ({ createdAt }) => <Time value={createdAt} /> },
  { label: "", align: "right", render: (user) => <UserMenu user={user} shown={shown} /> },
];

export function AdminUsersPage() {
  const users = useInfiniteQuery(apiList<ListedUser>("/admin/users"));
  const [inviting, { open, close }] = useDisclosure();
  const [shown, setShown] = useState<ShownLink | null>(null);
  return (
    <Page
      title="Users"
      intro="Everybody with an account on this server. Their roles are set in each store."
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={open}>
          Invite a user
        </Button>
      }
    >
      <Loaded query={users}>
        {(rows) => (
          <DataTable
            label="Users"
            columns={columnsFor(setShown)}
            rows={rows}
            rowKey={({ userId }) => userId}
            more={users}
            empty={
              <Empty icon="users" title="No users yet">
                Invite the first user.
              </Empty>
            }
          />
        )}
      </Loaded>
      <InviteDialog opened={inviting} close={close} invited={setShown} />
      <SecretDialog
        title={`A link for ${shown?.email ?? ""}`}
        label="Link"
        secret={shown?.link.url ?? null}
        kept={() => setShown(null)}
        action="I have sent it"
      >
        <Text size="sm">
          Send it to them yourself. It works once and gives access to the account, until{" "}
          {shown !== null && <Time value={shown.link.expiresAt} />}. It is shown only now.
        </Text>
      </SecretDialog>
    </Page>
  );
}

function UserState({ user: { admin, disabled, pending } }: { user: ListedUser }) {
  return (
    <Group gap={4}>
      {disabled && <Status tone="bad">disabled</Status>}
      {!disabled && pending && (
        <Status tone="busy" icon="mail">
          invited
        </Status>
      )}
      {!disabled && !pending && <Status tone="good">active</Status>}
      {admin && (
        <Status tone="calm" icon="shield">
          server admin
        </Status>
      )}
    </Group>
  );
}

function secondFactor({ totp, hasPasskey }: ListedUser): string {
  const factors = [totp && "app", hasPasskey && "passkey"].filter((factor) => factor !== false);
  return factors.length === 0 ? "none" : factors.join(", ");
}
