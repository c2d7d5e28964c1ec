import { AppShell, Box, NavLink, ScrollArea, Stack } from "@mantine/core";
import { BASE_URL } from "../api/base";
import { useUser } from "../api/session";
import { Icon, type IconName } from "../kit/icon";
import { NavigationLink } from "../kit/links";
import classes from "./shell.module.css";
import { ReviewCount } from "./review-count";
import { StoreSwitcher } from "./store-switcher";

const STORE_PAGES = [
  ["/stores/$storeId", "Home", "house"],
  ["/stores/$storeId/invoices", "Invoices", "file-text"],
  ["/stores/$storeId/reviews", "To review", "circle-alert"],
  ["/stores/$storeId/payment-links", "Payment links", "link"],
  ["/stores/$storeId/reports", "Reports", "activity"],
  ["/stores/$storeId/books", "Books", "scroll-text"],
  ["/stores/$storeId/webhooks", "Webhooks", "webhook"],
  ["/stores/$storeId/alerts", "Alerts", "bell"],
] as const satisfies readonly Entry[];

const SETTINGS_PAGES = [
  ["/stores/$storeId/settings/general", "General", "settings"],
  ["/stores/$storeId/settings/payment-methods", "Payment methods", "wallet"],
  ["/stores/$storeId/settings/api-keys", "API keys", "key-round"],
  ["/stores/$storeId/settings/users", "Users", "users"],
  ["/stores/$storeId/settings/mails", "Mails", "mail"],
] as const satisfies readonly Entry[];

const SERVER_PAGES = [
  ["/admin/health", "Health", "activity"],
  ["/admin/users", "Users", "users"],
  ["/admin/audit", "Audit log", "scroll-text"],
] as const satisfies readonly Entry[];

type Entry = readonly [to: string, label: string, icon: IconName];

/** On a phone it opens over the page. */
export function Navigation({ storeId }: { storeId: string | undefined }) {
  const { admin } = useUser();
  return (
    <>
      <AppShell.Section mb="xs">
        <StoreSwitcher storeId={storeId} />
      </AppShell.Section>
      <AppShell.Section grow component={ScrollArea} type="auto">
        {storeId !== undefined && <StorePages storeId={storeId} />}
        {admin && <ServerPages />}
      </AppShell.Section>
    </>
  );
}

function StorePages({ storeId }: { storeId: string }) {
  const entries = (pages: typeof STORE_PAGES | typeof SETTINGS_PAGES) =>
    pages.map(([to, label, icon]) => (
      <NavigationLink
        key={to}
        to={to}
        params={{ storeId }}
        activeOptions={{ exact: to === "/stores/$storeId", includeSearch: false }}
        activeProps={{ "data-active": true }}
        className={classes.entry ?? ""}
        label={label}
        leftSection={<Icon name={icon} />}
        {...(to === "/stores/$storeId/reviews" && { rightSection: <ReviewCount storeId={storeId} /> })}
      />
    ));
  return (
    <Stack gap={2}>
      {entries(STORE_PAGES)}
      <Box className={classes.heading}>Settings</Box>
      {entries(SETTINGS_PAGES)}
    </Stack>
  );
}

function ServerPages() {
  return (
    <Stack gap={2}>
      <Box className={classes.heading}>Server</Box>
      {SERVER_PAGES.map(([to, label, icon]) => (
        <NavigationLink
          key={to}
          to={to}
          className={classes.entry ?? ""}
          label={label}
          leftSection={<Icon name={icon} />}
        />
      ))}
      {/* Not of this application. */}
      <NavLink
        href={new URL("admin/queues", BASE_URL).href}
        className={classes.entry ?? ""}
        label="Queues"
        leftSection={<Icon name="list" />}
      />
    </Stack>
  );
}
