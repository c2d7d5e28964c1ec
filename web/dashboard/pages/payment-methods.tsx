import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { apiQuery } from "../api/queries";
import { methodsPath, type Lightning, type PaymentMethod, type Wallet } from "../api/settings";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { LightningSection } from "./payment-methods/lightning";
import { WalletKeysSection } from "./payment-methods/wallet-keys";
import { WalletSection } from "./payment-methods/wallet";

const EVERY_MS = 2_000;

export function PaymentMethodsPage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/settings/payment-methods" });
  const methods = useQuery({
    ...apiQuery<{ data: PaymentMethod[] }>(methodsPath(storeId)),
    refetchInterval: ({ state }) => state.data?.data.find(isLightning)?.state === "unchecked" && EVERY_MS,
  });
  return (
    <Page title="Payment methods" intro="Where the money of this store's invoices goes.">
      <Loaded query={methods}>
        {({ data }) => (
          <>
            <WalletSection storeId={storeId} wallet={data.find(isWallet) ?? null} />
            <LightningSection storeId={storeId} method={data.find(isLightning) ?? null} />
            <WalletKeysSection storeId={storeId} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const isWallet = (method: PaymentMethod): method is Wallet => method.type === "BTC-CHAIN";
const isLightning = (method: PaymentMethod): method is Lightning => method.type === "BTC-LN";
