import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { endOtherSessions, endSession, sessionsQuery, type SessionRow } from "../../api/account";
import { useAction } from "../../kit/form/action";
import { DataTable, type Column } from "../../kit/data-table";
import { Empty } from "../../kit/empty";
import { Loaded } from "../../kit/loaded";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";
import { Time } from "../../kit/format/time";
import { deviceOf } from "./device";

const CHANGES = ["/account/sessions"];

const COLUMNS: readonly Column<SessionRow>[] = [
  {
    label: "Device",
    main: true,
    render: ({ userAgent, linkShownTo }) => (
      <Group gap={4}>
        <span title={userAgent}>{deviceOf(userAgent)}</span>
        {linkShownTo !== null && <Status tone="bad">by a link that {linkShownTo} was shown</Status>}
      </Group>
    ),
  },
  { label: "Address", render: ({ ip }) => ip },
  { label: "Logged in", render: ({ createdAt }) => <Time value={createdAt} relative /> },
  { label: "Last seen", render: ({ lastSeenAt }) => <Time value={lastSeenAt} relative /> },
  {
    label: "",
    align: "right",
    render: (session) =>
      session.current ? <Status tone="good">this session</Status> : <EndSession id={session.sessionId} />,
  },
];

export function SessionsSection() {
  const sessions = useQuery(sessionsQuery);
  const endOthers = useAction({
    run: endOtherSessions,
    changes: CHANGES,
    done: "All other sessions are logged out.",
  });
  const others = (sessions.data?.data.length ?? 0) > 1;
  return (
    <Section
      title="Sessions"
      intro="Where you are logged in. If you do not recognise a session, log it out and change your password."
      actions={
        others && (
          <Button
            size="xs"
            variant="default"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate()}
          >
            Log out all other sessions
          </Button>
        )
      }
    >
      <Loaded query={sessions}>
        {({ data }) => (
          <DataTable
            label="Sessions"
            columns={COLUMNS}
            rows={data}
            rowKey={({ sessionId }) => sessionId}
            empty={
              <Empty icon="monitor" title="No session">
                Log in again to see this one.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Section>
  );
}

function EndSession({ id }: { id: string }) {
  const end = useAction({ run: () => endSession(id), changes: CHANGES, done: "That session is logged out." });
  return (
    <Button size="xs" variant="subtle" color="red" loading={end.isPending} onClick={() => end.mutate()}>
      Log out
    </Button>
  );
}
