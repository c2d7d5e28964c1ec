import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { AddedMember } from "../../api/settings";
import { SecretDialog } from "../../kit/form/secret-dialog";
import { Time } from "../../kit/format/time";

/** By mail, a link that the reader hands over, or in the dashboard; the same for all who are no admins. */
export function InvitationDialog({ added, close }: { added: AddedMember | null; close: () => void }) {
  const invitation = added?.invitation ?? null;
  if (added === null || invitation === null) return null;
  const { email } = added.member;
  const { url, mailed, expiresAt } = invitation;
  if (url !== null)
    return (
      <SecretDialog title={`Invite ${email}`} label="Link" secret={url} kept={close} action="I have sent it">
        <Text size="sm">
          {mailed ? "The link was also mailed. " : "Send it to them yourself. "}
          It works once and gives access to the account, until <Time value={expiresAt} />. It is shown only
          now.
        </Text>
      </SecretDialog>
    );
  return (
    <Modal opened onClose={close} title={`${email} is invited`}>
      <Stack>
        <Text size="sm">
          {mailed
            ? "A mail is on its way. "
            : "No mail could be sent, so inform them yourself. A server admin can create an account for new users. "}
          The invitation is in their dashboard, under Stores, until <Time value={expiresAt} />.
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
