import { ActionIcon, Menu } from "@mantine/core";
import type { HandedLink, ListedUser } from "../../api/admin";
import { patch, post } from "../../api/call";
import { useAction } from "../../kit/form/action";
import { confirm } from "../../kit/form/confirm";
import { Icon } from "../../kit/icon";
import { confirmEnd } from "../../kit/form/kept-or-deleted";
import { toast } from "../../kit/toast";
import type { ShownLink } from "./shown-link";

interface UserMenuProps {
  user: ListedUser;
  shown: (link: ShownLink) => void;
}

export function UserMenu({ user: { userId, email, admin, disabled, made }, shown }: UserMenuProps) {
  const change = useAction({
    run: (body: { admin?: boolean; disabled?: boolean; keysAndWebhooks?: "keep" | "delete" }) =>
      patch(`/admin/users/${userId}`, body),
    changes: ["/admin/users"],
    done: `${email} was changed and logged out everywhere.`,
  });
  const reset = useAction({
    run: (body: { dropSecondFactor: boolean }) => post<HandedLink>(`/admin/users/${userId}/reset`, body),
    changes: ["/admin/users"],
    then: (link) => (link.url === null ? saidMailed(email) : shown({ email, link })),
  });
  const ask = async (question: Parameters<typeof confirm>[0], then: () => void): Promise<void> => {
    if (await confirm(question)) then();
  };
  const disable = async (): Promise<void> => {
    const asked = await confirmEnd(disableQuestion(email), made);
    if (asked !== null) change.mutate({ disabled: true, ...asked });
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`More about ${email}`}
          loading={change.isPending || reset.isPending}
        >
          <Icon name="ellipsis" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Icon name="link" size={16} />}
          onClick={() => void ask(resetQuestion(email), () => reset.mutate({ dropSecondFactor: false }))}
        >
          Send a reset link
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="fingerprint-pattern" size={16} />}
          onClick={() => void ask(dropQuestion(email), () => reset.mutate({ dropSecondFactor: true }))}
        >
          Reset, including two-step login
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="shield" size={16} />}
          onClick={() => void ask(adminQuestion(email, admin), () => change.mutate({ admin: !admin }))}
        >
          {admin ? "Remove admin rights" : "Make server admin"}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="lock" size={16} />}
          onClick={() => (disabled ? change.mutate({ disabled: false }) : void disable())}
        >
          {disabled ? "Enable" : "Disable"}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const saidMailed = (email: string) => toast.done(`The link was mailed to ${email}.`);

const resetQuestion = (email: string) => ({
  title: `Send ${email} a reset link?`,
  body: "With it a new password is chosen. It is mailed to them. On a server without mail it is shown to you once, to hand over, and what is done in sessions that begin with it is recorded with your name. Links that were made before stop working.",
  action: "Send the link",
});

const dropQuestion = (email: string) => ({
  title: `Reset two-step login of ${email}?`,
  body: "For users who have lost their phone, recovery codes and passkeys: all of them are removed at once, and a link for a new password is mailed to them, or shown to you on a server without mail. Make sure who is asking you.",
  action: "Reset and send the link",
  danger: true,
});

const adminQuestion = (email: string, admin: boolean) => ({
  title: admin ? `Remove admin rights from ${email}?` : `Make ${email} a server admin?`,
  body: admin
    ? "They stay a member of their stores."
    : "They will be able to see and change all stores, all users and the server.",
  action: admin ? "Remove admin rights" : "Make server admin",
  danger: true,
});

const disableQuestion = (email: string) => ({
  title: `Disable ${email}?`,
  body: "They are logged out everywhere and cannot log in until you enable them again. Invitations that they sent and that nobody has accepted end. API keys that others created keep working.",
  action: "Disable",
  danger: true,
});
