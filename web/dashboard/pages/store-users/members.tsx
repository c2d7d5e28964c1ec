import { Button, Group, Select, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { patch, remove } from "../../api/call";
import { apiQuery } from "../../api/queries";
import { membersPath, type AddedMember, type Member } from "../../api/settings";
import type { Role } from "../../api/shapes";
import { useAction } from "../../kit/action";
import { AskingButton } from "../../kit/asking-button";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Icon } from "../../kit/icon";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { Status } from "../../kit/status";
import { Time } from "../../kit/time";
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
              <Empty icon="users" title="Nobody yet">
                The store has no member. You see it as server admin.
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

function MemberRole({ storeId, member: { userId, email, role } }: { storeId: string; member: Member }) {
  const change = useAction({
    run: (next: Role) => patch(`${membersPath(storeId)}/${userId}`, { role: next }),
    changes: [membersPath(storeId), `/stores/${storeId}/role`, `/stores/${storeId}/audit`],
    done: `The role of ${email} is changed.`,
  });
  return (
    <Select
      aria-label={`Role of ${email}`}
      size="xs"
      w={120}
      data={ROLE_CHOICES}
      allowDeselect={false}
      value={role}
      disabled={change.isPending}
      onChange={(next) => next !== null && next !== role && change.mutate(next)}
    />
  );
}

function RemoveMember({ storeId, member: { userId, email } }: { storeId: string; member: Member }) {
  const path = membersPath(storeId);
  const erase = useAction({
    run: () => remove(`${path}/${userId}`),
    changes: [path, `/stores/${storeId}/role`, `/stores/${storeId}/audit`],
    done: `${email} no longer sees this store.`,
  });
  const body = "They no longer see this store, from now on. API keys that they know keep working.";
  return (
    <AskingButton
      size="xs"
      variant="subtle"
      color="red"
      aria-label={`Remove ${email}`}
      question={{ title: `Remove ${email}?`, body, action: "Remove user", danger: true }}
      action={erase}
    >
      Remove
    </AskingButton>
  );
}
