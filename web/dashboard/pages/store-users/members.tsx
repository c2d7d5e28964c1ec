import { Button, Group, Select, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { patch, remove } from "../../api/call";
import { apiQuery } from "../../api/queries";
import { apiKeysPath, membersPath, type AddedMember, type Member } from "../../api/settings";
import type { Role } from "../../api/shapes";
import { webhooksPath } from "../../api/webhooks";
import { useAction } from "../../kit/form/action";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Icon } from "../../kit/icon";
import { confirmEnd } from "../../kit/form/kept-or-deleted";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";
import { Time } from "../../kit/format/time";
import { InvitationDialog } from "./invitation";
import { AddMemberDialog } from "./add-member";
import { ROLE_CHOICES, ROLES } from "./roles";

const columnsFor = (storeId: string): readonly Column<Member>[] => [
  {
    label: "E-mail",
    main: true,
    render: ({ email, pending }) => (
      <Group gap="xs">
        <Text fw={600} inherit className="breakable">
          {email}
        </Text>
        {pending && (
          <Status tone="busy" icon="mail">
            invited
          </Status>
        )}
      </Group>
    ),
  },
  { label: "Role", render: (member) => <MemberRole storeId={storeId} member={member} /> },
  { label: "Since", render: ({ createdAt }) => <Time value={createdAt} /> },
  { label: "", align: "right", render: (member) => <RemoveMember storeId={storeId} member={member} /> },
];

export function MembersSection({ storeId }: { storeId: string }) {
  const members = useQuery(apiQuery<{ data: Member[] }>(membersPath(storeId)));
  const [adding, { open, close }] = useDisclosure();
  const [added, setAdded] = useState<AddedMember | null>(null);
  const add = (
    <Button leftSection={<Icon name="plus" />} onClick={open}>
      Add a user
    </Button>
  );
  return (
    <Section
      title="Members"
      intro={ROLES.map(({ label, may }) => `${label}: ${may}.`).join(" ")}
      actions={add}
    >
      <Loaded query={members} lines={3}>
        {({ data }) => (
          <DataTable
            label="Members"
            columns={columnsFor(storeId)}
            rows={data}
            rowKey={({ userId }) => userId}
            empty={
              <Empty icon="users" title="No members yet">
                The store has no members. You see it as a server admin.
              </Empty>
            }
          />
        )}
      </Loaded>
      <AddMemberDialog storeId={storeId} opened={adding} close={close} added={setAdded} />
      <InvitationDialog added={added} close={() => setAdded(null)} />
    </Section>
  );
}

type KeysAndWebhooks = NonNullable<Awaited<ReturnType<typeof confirmEnd>>>;

function MemberRole({ storeId, member: { userId, email, role, made } }: { storeId: string; member: Member }) {
  const change = useAction({
    run: (next: { role: Role } & KeysAndWebhooks) => patch(`${membersPath(storeId)}/${userId}`, next),
    changes: [
      membersPath(storeId),
      apiKeysPath(storeId),
      webhooksPath(storeId),
      `/stores/${storeId}/role`,
      `/stores/${storeId}/audit`,
    ],
    done: `The role of ${email} is changed.`,
  });
  const choose = async (next: Role): Promise<void> => {
    const some = made.apiKeys + made.webhooks > 0;
    const asked =
      role === "owner" && some
        ? await confirmEnd({ title: `Remove the owner role from ${email}?`, ...DEMOTION }, made)
        : {};
    if (asked !== null) change.mutate({ role: next, ...asked });
  };
  return (
    <Select
      aria-label={`Role of ${email}`}
      size="xs"
      w={120}
      data={ROLE_CHOICES}
      allowDeselect={false}
      value={role}
      disabled={change.isPending}
      onChange={(next) => next !== null && next !== role && void choose(next)}
    />
  );
}

const DEMOTION = {
  body: "They can no longer change the store's settings, wallet, keys, webhooks and users. Invitations that they sent and that nobody has accepted end.",
  action: "Change the role",
  danger: true,
};

function RemoveMember({ storeId, member: { userId, email, made } }: { storeId: string; member: Member }) {
  const path = membersPath(storeId);
  const erase = useAction({
    run: ({ keysAndWebhooks }: KeysAndWebhooks) =>
      remove(`${path}/${userId}`, keysAndWebhooks === undefined ? {} : { keysAndWebhooks }),
    changes: [
      path,
      apiKeysPath(storeId),
      webhooksPath(storeId),
      `/stores/${storeId}/role`,
      `/stores/${storeId}/audit`,
    ],
    done: `${email} was removed from this store.`,
  });
  const question = {
    title: `Remove ${email}?`,
    body: "They can no longer see this store. Invitations that they sent and that nobody has accepted end. API keys that others created and they know keep working.",
    action: "Remove user",
    danger: true,
  };
  const ask = async (): Promise<void> => {
    const asked = await confirmEnd(question, made);
    if (asked !== null) erase.mutate(asked);
  };
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      aria-label={`Remove ${email}`}
      loading={erase.isPending}
      onClick={() => void ask()}
    >
      Remove
    </Button>
  );
}
