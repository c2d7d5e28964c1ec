import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { AddedMember } from "../../api/settings";
import { SecretDialog } from "../../kit/secret-dialog";
import { Time } from "../../kit/time";

/** How somebody new comes in: by mail, or by a link that the reader hands over. */
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
          Whoever opens it has the account, once, until <Time value={expiresAt} />. It is shown only now.
        </Text>
      </SecretDialog>
    );
  return (
    <Modal opened onClose={close} title={`${email} is invited`}>
      <Stack>
        <Text size="sm">
          {mailed
            ? "A link to choose a password is on its way by mail. It works until "
            : "The mail could not be sent. Remove the user and add them again in a moment; the link works until "}
          <Time value={expiresAt} />.
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
