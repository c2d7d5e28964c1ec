import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { apiQuery } from "../api/queries";
import type { Store } from "../api/shapes";
import { CopyField } from "../kit/copy";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { CheckoutSettings } from "./general-settings/checkout";
import { ConfirmationSettings } from "./general-settings/confirmations";
import { InvoiceSettings } from "./general-settings/invoices";
import { PayButton } from "./general-settings/pay-button";
import { RateSettings } from "./general-settings/rates";
import { SETTINGS_TABS, type SettingsTab } from "./general-settings/search";
import { ShopSettings } from "./general-settings/shop";
import { StoreSettings } from "./general-settings/store";
import classes from "./general-settings/tabs.module.css";

const FROM = "/inside/stores/$storeId/settings/general";

export function GeneralSettingsPage() {
  const { storeId } = useParams({ from: FROM });
  const store = useQuery(apiQuery<Store>(`/stores/${storeId}`));
  return (
    <Page title="General" intro="Most of these can also be set for a single invoice by the API.">
      <Loaded query={store}>
        {(data) => (
          <SettingsTabs>
            {{
              store: (
                <>
                  <StoreSettings store={data} />
                  <CopyField label="Store ID" value={storeId} />
                </>
              ),
              invoices: <InvoiceSettings store={data} />,
              confirmations: <ConfirmationSettings store={data} />,
              rates: <RateSettings store={data} />,
              checkout: <CheckoutSettings store={data} />,
              shop: (
                <>
                  <ShopSettings store={data} />
                  <PayButton storeId={storeId} />
                </>
              ),
            }}
          </SettingsTabs>
        )}
      </Loaded>
    </Page>
  );
}

/** Opened tabs stay, with what was typed; the others ask for nothing. */
function SettingsTabs({ children }: { children: Record<SettingsTab, ReactNode> }) {
  const { tab = "store" } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: "/stores/$storeId/settings/general" });
  const names = Object.keys(SETTINGS_TABS) as SettingsTab[];
  const [opened, setOpened] = useState([tab]);
  if (!opened.includes(tab)) setOpened([...opened, tab]);
  const open = (name: string | null): void => {
    const chosen = names.find((one) => one === name);
    if (chosen !== undefined) void navigate({ search: { tab: chosen }, replace: true });
  };
  return (
    <Tabs value={tab} onChange={open}>
      <Tabs.List>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {SETTINGS_TABS[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {names.map((name) => (
        <Tabs.Panel key={name} value={name} pt="lg" className={classes.panel ?? ""}>
          {opened.includes(name) && children[name]}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
