import { ActionIcon, Menu } from "@mantine/core";
import { post } from "../../api/call";
import type { ListedStore } from "../../api/shapes";
import { useAction } from "../../kit/form/action";
import { confirm } from "../../kit/form/confirm";
import { Icon } from "../../kit/icon";

export function StoreMenu({ store: { storeId, name, archived } }: { store: ListedStore }) {
  const change = useAction({
    run: (way: "archive" | "unarchive") => post(`/stores/${storeId}/${way}`),
    changes: ["/stores"],
    done: archived ? `${name} was restored.` : `${name} was archived. Payments to it are still detected.`,
  });
  const archive = async (): Promise<void> => {
    const agreed = await confirm({
      title: `Archive ${name}?`,
      body: "It disappears from the lists. Its addresses stay watched, its keys and webhooks keep working, and you can restore it.",
      action: "Archive",
    });
    if (agreed) change.mutate("archive");
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`More about ${name}`}
          loading={change.isPending}
        >
          <Icon name="ellipsis" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {archived ? (
          <Menu.Item
            leftSection={<Icon name="archive-restore" size={16} />}
            onClick={() => change.mutate("unarchive")}
          >
            Restore
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<Icon name="archive" size={16} />} onClick={() => void archive()}>
            Archive
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
