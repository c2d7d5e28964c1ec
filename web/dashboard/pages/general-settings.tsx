import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
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
import { ShopSettings } from "./general-settings/shop";
import { StoreSettings } from "./general-settings/store";

/** A store's settings; read-only without the right to change them. */
export function GeneralSettingsPage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/settings/general" });
  const store = useQuery(apiQuery<Store>(`/stores/${storeId}`));
  return (
    <Page title="General" intro="Most of these can also be set for a single invoice by the API." narrow>
      <CopyField label="Store ID" value={storeId} />
      <Loaded query={store}>
        {(data) => (
          <>
            <StoreSettings store={data} />
            <InvoiceSettings store={data} />
            <ConfirmationSettings store={data} />
            <RateSettings store={data} />
            <CheckoutSettings store={data} />
            <ShopSettings store={data} />
          </>
        )}
      </Loaded>
      <PayButton storeId={storeId} />
    </Page>
  );
}
