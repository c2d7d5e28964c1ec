import { Code, Stack, Text } from "@mantine/core";
import type { AuditLine } from "../api/admin";
import type { Column } from "./data-table";
import { TextLink } from "./links";
import { Time } from "./format/time";

const ACTORS: Record<AuditLine["actor"]["kind"], string> = {
  key: "API key",
  user: "user",
  admin: "server admin",
  cli: "command line",
  system: "the server",
};

const when: Column<AuditLine> = { label: "When", render: ({ at }) => <Time value={at} /> };

const who: Column<AuditLine> = {
  label: "Who",
  render: ({ actor: { kind, id, name } }) => (
    <Stack gap={0}>
      <Text size="sm" className="breakable">
        {name ?? id ?? ACTORS[kind]}
      </Text>
      {(name ?? id) !== null && (
        <Text size="xs" c="dimmed">
          {ACTORS[kind]}
        </Text>
      )}
    </Stack>
  ),
};

const what: Column<AuditLine> = {
  label: "What",
  main: true,
  render: ({ action }) => (
    <Text fw={600} inherit>
      {wordsOfAction(action)}
    </Text>
  ),
};

const details: Column<AuditLine> = {
  label: "Details",
  render: ({ subject, storeId, details: more }) => (
    <Stack gap={2}>
      {subject !== storeId && (
        <Text size="xs" c="dimmed" className="breakable">
          {subject}
        </Text>
      )}
      {Object.keys(more).length > 0 && <Code className="breakable">{textOfDetails(more)}</Code>}
    </Stack>
  ),
};

const store: Column<AuditLine> = {
  label: "Store",
  render: ({ storeId }) =>
    storeId === null ? (
      "–"
    ) : (
      <TextLink to="/stores/$storeId" params={{ storeId }} title={storeId}>
        {storeId.slice(0, 8)}…
      </TextLink>
    ),
};

export const STORE_AUDIT: readonly Column<AuditLine>[] = [what, who, when, details];
export const SERVER_AUDIT: readonly Column<AuditLine>[] = [what, who, when, store, details];

/** `webhook.secret-rotated` is "Webhook: secret rotated". */
function wordsOfAction(action: string): string {
  const words = action.replace(".", ": ").replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `name: "Tea", roles: ["owner"]`. */
const textOfDetails = (more: object): string =>
  Object.entries(more)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
