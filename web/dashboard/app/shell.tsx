import { AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect, type MouseEvent } from "react";
import { Loading } from "../kit/loaded";
import { AccountMenu } from "./account-menu";
import { AlertBell } from "./alert-bell";
import { Brand } from "./brand";
import { lastStore } from "./last-store";
import { Navigation } from "./navigation";
import { SchemeSwitch } from "../kit/scheme-switch";
import { storesQuery } from "./store-switcher";

const BELOW = "sm";

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const storeId = useChosenStore();
  useEffect(close, [path, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 250, breakpoint: BELOW, collapsed: { mobile: !opened } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <a href="#content" className="skip-link" onClick={goToContent}>
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom={BELOW}
              size="sm"
              aria-label={opened ? "Close the menu" : "Open the menu"}
              aria-expanded={opened}
            />
            <Brand />
          </Group>
          <Group gap={6} wrap="nowrap">
            {storeId !== undefined && <AlertBell storeId={storeId} />}
            <SchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Main">
        <Navigation storeId={storeId} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: "none" }}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}

/** On other pages the store shown last, if one may still see it; or the only one. */
function useChosenStore(): string | undefined {
  const { storeId } = useParams({ strict: false });
  const stores = useQuery(storesQuery).data?.data ?? [];
  const last = storeId === undefined ? lastStore.read() : null;
  const only = stores.length === 1 ? stores[0] : undefined;
  return storeId ?? (stores.find((store) => store.storeId === last) ?? only)?.storeId;
}

/** With a `<base>` a link to "#content" would leave the page. */
function goToContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
