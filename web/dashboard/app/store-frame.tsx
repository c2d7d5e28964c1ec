import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { useLive } from "../api/live";
import { apiQuery } from "../api/queries";
import type { Store } from "../api/shapes";
import { Empty } from "../kit/empty";
import { ButtonLink } from "../kit/links";
import { Loaded } from "../kit/loaded";
import { Page } from "../kit/page";
import { ApiError } from "../api/problem";
import { lastStore } from "./last-store";

/** Live; a store that one may not see is said to be none. */
export function StoreFrame() {
  const { storeId } = useParams({ from: "/inside/stores/$storeId" });
  const store = useQuery(apiQuery<Store>(`/stores/${storeId}`));
  const { isSuccess, error } = store;
  const refused = error instanceof ApiError && (error.status === 403 || error.status === 404);
  useEffect(() => {
    if (isSuccess) lastStore.write(storeId);
    else if (refused && lastStore.read() === storeId) lastStore.write(null);
  }, [storeId, isSuccess, refused]);
  if (refused) return <NoStore />;
  return (
    <Loaded query={store}>
      {() => (
        <Live key={storeId} storeId={storeId}>
          <Outlet />
        </Live>
      )}
    </Loaded>
  );
}

function Live({ storeId, children }: { storeId: string; children: ReactNode }) {
  useLive(storeId);
  return <>{children}</>;
}

function NoStore() {
  return (
    <Page title="You don't have access to this store">
      <Empty
        icon="store"
        title="Store not found"
        action={<ButtonLink to="/stores">Go to your stores</ButtonLink>}
      >
        It does not exist, or you have no role in it. An owner can invite you.
      </Empty>
    </Page>
  );
}
