import { useParams } from "@tanstack/react-router";
import { BASE_URL } from "../api/base";
import { CopyField } from "../kit/copy";
import { ForOwners } from "../kit/for-owners";
import { Page } from "../kit/page";
import { Section } from "../kit/section";
import { KeysSection } from "./api-keys/keys";

export function ApiKeysPage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/settings/api-keys" });
  return (
    <Page title="API keys" intro="Your shop creates and reads invoices with an API key of this store.">
      <Section title="For your shop's settings">
        <CopyField
          label="Store ID"
          description="Part of the path of each request: /api/v1/stores/{storeId}/…"
          value={storeId}
        />
        <CopyField label="API address" value={new URL("api/v1", BASE_URL).href} />
        <CopyField
          label="Address for shop plugins"
          description="The plugin's field for the server's URL."
          value={BASE_URL.replace(/\/$/, "")}
        />
      </Section>
      <ForOwners storeId={storeId} what="API keys">
        <KeysSection storeId={storeId} />
      </ForOwners>
    </Page>
  );
}
