import { useQuery } from "@tanstack/react-query";
import { apiQuery } from "./queries";
import type { Role, StoreAccess } from "./shapes";

const RANKS: readonly Role[] = ["viewer", "member", "owner"];

/** Buttons that would be refused are not shown. */
export function useRole(storeId: string) {
  const { data } = useQuery(apiQuery<StoreAccess>(`/stores/${storeId}/role`));
  const role = data?.role ?? null;
  return {
    role,
    can: (needed: Role): boolean => role !== null && RANKS.indexOf(role) >= RANKS.indexOf(needed),
  };
}
