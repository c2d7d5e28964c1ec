import { ActionIcon, Menu } from "@mantine/core";
import type { ListedUser, MadeLink } from "../../api/admin";
import { patch, post } from "../../api/call";
import { useAction } from "../../kit/action";
import { confirm } from "../../kit/confirm";
import { Icon } from "../../kit/icon";
import type { ShownLink } from "./shown-link";

interface UserMenuProps {
  user: ListedUser;
  shown: (link: ShownLink) => void;
}

/** What a server admin can do with a user. */
export function UserMenu({ user: { userId, email, admin, disabled }, shown }: UserMenuProps) {
  const change = useAction({
    run: (body: { admin?: boolean; disabled?: boolean }) => patch(`/admin/users/${userId}`, body),
    changes: ["/admin/users"],
    done: `${email} is changed, and logged out everywhere.`,
  });
  const reset = useAction({
    run: () => post<MadeLink>(`/admin/users/${userId}/reset`, {}),
    changes: ["/admin/users"],
    then: (link) => shown({ email, link }),
  });
  const ask = async (question: Parameters<typeof confirm>[0], then: () => void): Promise<void> => {
    if (await confirm(question)) then();
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
          onClick={() => void ask(resetQuestion(email), () => reset.mutate())}
        >
          Make a reset link
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="shield" size={16} />}
          onClick={() => void ask(adminQuestion(email, admin), () => change.mutate({ admin: !admin }))}
        >
          {admin ? "Take admin rights away" : "Make server admin"}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="lock" size={16} />}
          onClick={() =>
            disabled
              ? change.mutate({ disabled: false })
              : void ask(disableQuestion(email), () => change.mutate({ disabled: true }))
          }
        >
          {disabled ? "Let in again" : "Disable"}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const resetQuestion = (email: string) => ({
  title: `A reset link for ${email}?`,
  body: "With it a new password is chosen. It is shown to you once, to hand over; links that were made before stop working.",
  action: "Make the link",
});

const adminQuestion = (email: string, admin: boolean) => ({
  title: admin ? `Take admin rights from ${email}?` : `Make ${email} a server admin?`,
  body: admin
    ? "They keep the stores where they are members."
    : "They will see and change all stores, users, and the server.",
  action: admin ? "Take them away" : "Make server admin",
  danger: true,
});

const disableQuestion = (email: string) => ({
  title: `Disable ${email}?`,
  body: "They are logged out everywhere and cannot log in until you let them in again. API keys keep working.",
  action: "Disable",
  danger: true,
});
