import { checkedMinorUnits } from "../../domain/money/currencies";
import { invalidField } from "../../domain/errors";
import { lockStore } from "../../database/rows";
import { RATE_QUORUM } from "../../domain/money/rate-sources";
import { weakenings } from "../../domain/release-settings";
import { parseShopOrigins } from "../../domain/shop-origins";
import { checkTimeZone } from "../../domain/time-zone";
import { Store } from "../../entities/store";
import type { CommandContext } from "../context";
import { checkedName } from "./name";
import { repeatAlert } from "../server/raise-alert";
import { BY } from "../wallets/shared-wallet";
import { writeAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

/** Missing ones stay; null removes a value. */
export type StoreChanges = Partial<
  Omit<Store, "id" | "walletChangesByKey" | "mac" | "archivedAt" | "createdAt">
>;

/**
 * For invoices that are created from now on.
 * @throws DomainError `store-not-found`; `validation-failed` at the field that is wrong.
 */
export async function changeStore(
  ctx: CommandContext,
  storeId: string,
  changes: StoreChanges,
): Promise<Store> {
  const wanted: StoreChanges = {
    ...changes,
    ...(changes.name === undefined ? {} : { name: checkedName(changes.name) }),
    ...(changes.checkoutOrigins === undefined
      ? {}
      : { checkoutOrigins: parseShopOrigins(changes.checkoutOrigins, ctx.settings.network) }),
  };
  if (wanted.defaultCurrency !== undefined) checkedMinorUnits(wanted.defaultCurrency, "/defaultCurrency");
  if (wanted.timeZone !== undefined) checkTimeZone(wanted.timeZone);
  checkRateSources(ctx, wanted.rateSources ?? null);
  return inTransaction(ctx, async (tx) => {
    const before = await lockStore(tx.manager, storeId);
    checkConfirmations({ ...before, ...wanted });
    return writeStoreChanges(tx, before, wanted);
  });
}

/** With the audit entry and the alert, for a store that the caller has locked. */
export async function writeStoreChanges(tx: Tx, before: Store, wanted: StoreChanges): Promise<Store> {
  const { id: storeId } = before;
  const details = changed(before, wanted);
  if (Object.keys(details).length === 0) return before;
  await tx.manager.update(Store, storeId, wanted);
  await writeAudit(tx, {
    action: "store.changed",
    storeId,
    subject: storeId,
    details,
  });
  const after = await tx.manager.findOneByOrFail(Store, { id: storeId });
  await alertWeakening(tx, { before, after });
  return after;
}

/** Each further change is added to it: an unread alert must not hide the next. */
async function alertWeakening(tx: Tx, { before, after }: { before: Store; after: Store }): Promise<void> {
  const weaker = weakenings(before, after);
  if (weaker.length === 0) return;
  await repeatAlert(tx, { kind: "settings-weakened", subject: after.id }, (open) => {
    const known = open?.weakened ?? { settings: [], actors: [], changes: 0 };
    const settings = [...new Set([...known.settings, ...weaker])];
    const actors = [...new Set([...known.actors, tx.actor.kind])];
    const changes = known.changes + 1;
    const by = actors.map((actor) => BY[actor]).join(" and ");
    const times = changes === 1 ? "" : `, in ${changes} changes since this alert was opened`;
    return {
      severity: "warning",
      storeId: after.id,
      message: `Goods may be released sooner or for less than before: the store's settings ${settings.join(", ")} were changed ${by}${times}. If none of you did this, change them back and delete the store's API keys.`,
      details: { weakened: { settings, actors, changes } },
    };
  });
}

/** A store must accept their risk explicitly, by setting the amount. */
function checkConfirmations(store: Store): void {
  if (store.zeroConfMaxSats !== null) return;
  const message = "Must be at least 1 unless zeroConfMaxSats is set.";
  if (store.requiredConfirmations === 0) throw invalidField("/requiredConfirmations", message);
  const tier = store.confirmationTiers.findIndex(({ confirmations }) => confirmations === 0);
  if (tier >= 0) throw invalidField(`/confirmationTiers/${tier}/confirmations`, message);
}

function checkRateSources({ rates }: CommandContext, chosen: readonly string[] | null): void {
  if (chosen === null) return;
  const unknown = chosen.findIndex((name) => !rates.sources.includes(name));
  if (unknown >= 0)
    throw invalidField(`/rateSources/${unknown}`, `Must be one of ${rates.sources.join(", ")}.`);
  if (chosen.length < RATE_QUORUM)
    throw invalidField(
      "/rateSources",
      `Must name at least ${RATE_QUORUM}, because that many must agree on a rate.`,
    );
}

function changed(before: Store, wanted: StoreChanges): Record<string, [unknown, unknown]> {
  const was = { ...before };
  const pairs = Object.entries(wanted).map(
    ([name, value]: [string, unknown]): [string, [unknown, unknown]] => [
      name,
      [plain(was[name as keyof Store]), plain(value)],
    ],
  );
  return Object.fromEntries(pairs.filter(([, [from, to]]) => JSON.stringify(from) !== JSON.stringify(to)));
}

function plain(value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
