import { Paper } from "@mantine/core";
import type { ReactNode } from "react";
import { useRole } from "../api/role";
import { Empty } from "./empty";
import { Loading } from "./loaded";

export function ForOwners({
  storeId,
  what,
  children,
}: {
  storeId: string;
  what: string;
  children: ReactNode;
}) {
  const { role, can } = useRole(storeId);
  if (role === null) return <Loading />;
  if (can("owner")) return <>{children}</>;
  return (
    <Paper withBorder>
      <Empty icon="lock" title="For the store's owners">
        You are a {role} of this store. Ask one of its owners about {what}.
      </Empty>
    </Paper>
  );
}
