import { Menu, Text, UnstyledButton, Group } from "@mantine/core";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { apiQuery } from "../api/queries";
import type { ListedStore, Store } from "../api/shapes";
import { Icon } from "../kit/icon";
import classes from "./store-switcher.module.css";

const NONE = "Choose a store";

export const storesQuery = apiQuery<{ data: ListedStore[] }>("/stores", { limit: 200 });

/** Null: none, or a choice. Those that an admin only sees are no choice. */
export async function onlyStore(queries: QueryClient): Promise<string | null> {
  const { data } = await queries.ensureQueryData(storesQuery);
  const [only, ...others] = data.filter(({ member }) => member);
  return only !== undefined && others.length === 0 ? only.storeId : null;
}

export function StoreSwitcher({ storeId }: { storeId: string | undefined }) {
  const stores = useQuery(storesQuery).data?.data ?? [];
  const navigate = useNavigate();
  const current = useCurrentName(storeId);
  return (
    <Menu width="target" position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={`Store: ${current ?? NONE}`}>
          <Group gap="xs" wrap="nowrap">
            <Icon name="store" />
            <Text fw={600} size="sm" truncate flex={1}>
              {current ?? NONE}
            </Text>
            <Icon name="chevron-down" size={16} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {stores.map((store) => (
          <Menu.Item
            key={store.storeId}
            leftSection={<Icon name={store.storeId === storeId ? "check" : "store"} size={16} />}
            onClick={() => void navigate({ to: "/stores/$storeId", params: { storeId: store.storeId } })}
          >
            {store.name}
          </Menu.Item>
        ))}
        {stores.length > 0 && <Menu.Divider />}
        <Menu.Item
          leftSection={<Icon name="list" size={16} />}
          onClick={() => void navigate({ to: "/stores" })}
        >
          All stores, new store
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** An archived store is not in the list. */
function useCurrentName(storeId: string | undefined): string | undefined {
  const query = apiQuery<Store>(`/stores/${storeId ?? ""}`);
  return useQuery({ ...query, enabled: storeId !== undefined }).data?.name;
}
