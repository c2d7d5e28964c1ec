import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { post, remove } from "../../api/call";
import { apiQuery } from "../../api/queries";
import type { Invited } from "../../api/settings";
import { useAction } from "../../kit/form/action";
import { Section } from "../../kit/section";
import { Time } from "../../kit/format/time";

const PATH = "/account/invitations";

export function InvitationsSection() {
  const { data } = useQuery(apiQuery<{ data: Invited[] }>(PATH));
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Section title="Invitations">
      {data.data.map((invited) => (
        <Invitation key={invited.storeId} invited={invited} />
      ))}
    </Section>
  );
}

function Invitation({ invited: { storeId, storeName, role, expiresAt } }: { invited: Invited }) {
  const accept = useAction({
    run: () => post(`${PATH}/${storeId}/accept`, {}),
    changes: [PATH, "/stores"],
    done: `You can now see ${storeName}.`,
  });
  const decline = useAction({ run: () => remove(`${PATH}/${storeId}`), changes: [PATH] });
  return (
    <Group justify="space-between">
      <Text size="sm" className="breakable">
        <b>{storeName}</b> as {role}, until <Time value={expiresAt} />
      </Text>
      <Group gap="xs">
        <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate()}>
          Accept
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          loading={decline.isPending}
          onClick={() => decline.mutate()}
        >
          Decline
        </Button>
      </Group>
    </Group>
  );
}
