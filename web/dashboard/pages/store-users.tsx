import { useParams } from "@tanstack/react-router";
import { ForOwners } from "../kit/for-owners";
import { Page } from "../kit/page";
import { MembersSection } from "./store-users/members";
import { StoreAuditSection } from "./store-users/store-audit";

export function StoreUsersPage() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId/settings/users" });
  return (
    <Page title="Users" intro="Who can see this store, and what they can change.">
      <ForOwners storeId={storeId} what="users with access">
        <MembersSection storeId={storeId} />
        <StoreAuditSection storeId={storeId} />
      </ForOwners>
    </Page>
  );
}
