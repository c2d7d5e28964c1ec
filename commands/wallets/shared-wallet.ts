import { In, type EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import type { ActorKind } from "../../entities/audit-entry";
import { StoreMember } from "../../entities/store-member";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { findAuthentic } from "../server/authentic-rows";
import { isOperator } from "../server/is-operator";
import { raiseAlert } from "../server/raise-alert";
import type { Tx } from "../transaction";

export const BY: Readonly<Record<ActorKind, string>> = {
  key: "by an API key",
  user: "by a user",
  admin: "by the server's admin",
  cli: "on the command line",
  system: "by the service",
};

/**
 * Also by archived stores: one of them could move the other's next address ahead. A store that has it keeps it. The
 * caller holds the wallet's row, so that two stores see each other.
 * @throws DomainError `wallet-in-use`, which names no store.
 */
export async function refuseWalletInUse(tx: Tx, storeId: string, walletId: string): Promise<void> {
  const users = await usersOf(tx.manager, walletId);
  if (users.length === 0 || users.includes(storeId) || (await isOperator(tx))) return;
  const { kind, id: userId } = tx.actor;
  if (kind === "user" && userId !== null) {
    const all = [storeId, ...users];
    const place = { storeId: In(all), userId, role: "owner" as const };
    if ((await findAuthentic(tx, StoreMember, place)).length === all.length) return;
  }
  throw new DomainError(
    "wallet-in-use",
    "Another store uses this wallet. Use another account of your wallet, or ask a server admin or an owner of both stores to set it.",
  );
}

/** Every store that shares the wallet, except `by`, which moved its next index by hand. */
export async function alertOfJump(
  tx: Tx,
  walletId: string,
  { from, to, by = null }: { from: number; to: number; by?: string | null },
): Promise<void> {
  const users = await usersOf(tx.manager, walletId);
  if (users.length < 2) return;
  for (const storeId of users.filter((id) => id !== by))
    await raiseAlert(tx, {
      kind: "wallet-changed",
      severity: "critical",
      subject: `${storeId}:${walletId}:${to}`,
      storeId,
      message: `The next address of this store's wallet was moved from index ${from} to ${to}, ${BY[tx.actor.kind]}. Other stores use the same wallet. Raise your own wallet's gap limit accordingly. If none of you did this, use another account.`,
    });
}

async function usersOf(manager: EntityManager, walletId: string): Promise<string[]> {
  const methods = await manager.findBy(StorePaymentMethod, { type: "BTC-CHAIN", walletId });
  return methods.map(({ storeId }) => storeId);
}
