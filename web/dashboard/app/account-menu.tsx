import { ActionIcon, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { logOut } from "../api/account";
import { useUser } from "../api/session";
import { useAction } from "../kit/form/action";
import { Icon } from "../kit/icon";

export function AccountMenu() {
  const { email } = useUser();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const leave = useAction({
    run: logOut,
    async then() {
      await navigate({ to: "/login" });
      queries.clear(); // nothing of this user stays for the next one
    },
  });
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account">
          <Icon name="user-round" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="breakable">{email}</Menu.Label>
        <Menu.Item
          leftSection={<Icon name="shield" size={16} />}
          onClick={() => void navigate({ to: "/account" })}
        >
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="log-out" size={16} />} onClick={() => leave.mutate()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
