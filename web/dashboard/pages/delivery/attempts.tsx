import { Code, Group, Paper, Stack, Text } from "@mantine/core";
import { meaningOf, type Attempt, type DeliveryDetail } from "../../api/webhooks";
import { Facts } from "../../kit/facts";
import { formatDuration } from "../../kit/format/format-time";
import { Section } from "../../kit/section";
import { Status } from "../../kit/format/status";
import { Time } from "../../kit/format/time";

export function AttemptsSection({ delivery: { attempts, attemptCount } }: { delivery: DeliveryDetail }) {
  return (
    <Section title="Attempts">
      {attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {attemptCount === 0 ? "Not sent yet." : "These attempts are old and no longer stored."}
        </Text>
      ) : (
        <Stack component="ol" gap="md" p={0} m={0} style={{ listStyle: "none" }}>
          {attempts.toReversed().map((attempt) => (
            <Paper key={attempt.number} component="li" withBorder p="md">
              <AttemptDetail attempt={attempt} />
            </Paper>
          ))}
        </Stack>
      )}
    </Section>
  );
}

const CAUSES: Record<Attempt["cause"], string> = { automatic: "automatic", manual: "by hand" };

function AttemptDetail({ attempt }: { attempt: Attempt }) {
  const { number, cause, startedAt, durationMs, httpStatus, error, resolvedIp, responseBody } = attempt;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Text fw={600}>
          Attempt {number}, {CAUSES[cause]}
        </Text>
        <Outcome attempt={attempt} />
      </Group>
      <Facts
        facts={[
          ["Sent", <Time key="sent" value={startedAt} />],
          ["HTTP status", httpStatus ?? "no response"],
          ["Duration", durationMs === null ? null : formatDuration(durationMs)],
          ["Error", error === null ? null : <ErrorOf key="error" error={error} />],
          ["Sent to", resolvedIp],
        ]}
      />
      {responseBody !== null && responseBody !== "" && (
        <Stack gap={4}>
          <Text size="sm" c="dimmed">
            Response
          </Text>
          <Code block className="breakable">
            {responseBody}
          </Code>
        </Stack>
      )}
    </Stack>
  );
}

function Outcome({ attempt: { error, durationMs } }: { attempt: Attempt }) {
  if (error !== null) return <Status tone="bad">failed</Status>;
  return durationMs === null ? <Status tone="busy">sending</Status> : <Status tone="good">delivered</Status>;
}

function ErrorOf({ error }: { error: string }) {
  return (
    <>
      {meaningOf(error)} <Code>{error}</Code>
    </>
  );
}
