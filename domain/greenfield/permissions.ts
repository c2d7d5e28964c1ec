import { accessOf, type KeyAccess } from "../account/key-access";

/** Names of permissions as shop plugins know them. A key has them for its own store. */
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

/** The permissions that give access to something: those of a key without a list of its own. */
export const SERVED_POLICIES: readonly Policy[] = POLICIES.filter((policy) => policy !== WITHOUT_EFFECT);

/** What a request needs of its key: a policy, or `any` valid key. */
export type NeededPolicy = Policy | "any";

export function isPolicy(name: string): name is Policy {
  return (POLICIES as readonly string[]).includes(name);
}

/** What a key of the native API may do here: no more than there. */
const OF_ACCESS: Readonly<Record<KeyAccess, readonly Policy[]>> = {
  full: SERVED_POLICIES,
  "create-and-read-invoices": ["btcpay.store.canviewinvoices", "btcpay.store.cancreateinvoice"],
  read: ["btcpay.store.canviewinvoices", "btcpay.store.canviewstoresettings"],
};

/** The permissions of a key, in the order of `POLICIES`. */
export function policiesOf(permissions: readonly string[] | null): readonly Policy[] {
  const access = accessOf(permissions);
  return access === null ? POLICIES.filter((policy) => permissions?.includes(policy)) : OF_ACCESS[access];
}

export function mayUse(permissions: readonly string[] | null, needed: NeededPolicy): boolean {
  return needed === "any" || policiesOf(permissions).includes(needed);
}

/** As plugins read them: without the store a plugin takes the key for one of several stores. */
export function policiesInStore(permissions: readonly string[] | null, storeId: string): string[] {
  return policiesOf(permissions).map((policy) => `${policy}:${storeId}`);
}
