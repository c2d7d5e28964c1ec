import { accessOf, type KeyAccess } from "../account/key-access";

export const POLICIES = [
  "btcpay.store.canviewinvoices",
  "btcpay.store.cancreateinvoice",
  "btcpay.store.canviewstoresettings",
  "btcpay.store.canmodifyinvoices",
  "btcpay.store.webhooks.canmodifywebhooks",
  "btcpay.store.canmodifystoresettings",
] as const;
export type Policy = (typeof POLICIES)[number];

/** Some plugins require that a key has it. No endpoint needs it. */
const WITHOUT_EFFECT: Policy = "btcpay.store.canmodifystoresettings";

/** Also those of a key without a list of its own. */
export const SERVED_POLICIES: readonly Policy[] = POLICIES.filter((policy) => policy !== WITHOUT_EFFECT);

export type NeededPolicy = Policy | "any";

export function isPolicy(name: string): name is Policy {
  return (POLICIES as readonly string[]).includes(name);
}

/** A native key's: no more than it may there. */
const OF_ACCESS: Readonly<Record<KeyAccess, readonly Policy[]>> = {
  full: SERVED_POLICIES,
  "create-and-read-invoices": ["btcpay.store.canviewinvoices", "btcpay.store.cancreateinvoice"],
  read: ["btcpay.store.canviewinvoices", "btcpay.store.canviewstoresettings"],
};

export function policiesOf(permissions: readonly string[] | null): readonly Policy[] {
  const access = accessOf(permissions);
  return access === null ? POLICIES.filter((policy) => permissions?.includes(policy)) : OF_ACCESS[access];
}

export function mayUse(permissions: readonly string[] | null, needed: NeededPolicy): boolean {
  return needed === "any" || policiesOf(permissions).includes(needed);
}

/** With the store: without it a plugin takes the key for one of several stores. */
export function policiesInStore(permissions: readonly string[] | null, storeId: string): string[] {
  return policiesOf(permissions).map((policy) => `${policy}:${storeId}`);
}
