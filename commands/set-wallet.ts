import type { EntityManager } from "typeorm";
import type { AccountKey } from "../domain/chain/account-key";
import { invalidField } from "../domain/errors";
import { StorePaymentMethod } from "../entities/store-payment-method";
import type { CommandContext } from "./context";

const INDEX_MAX = 0x7fff_ffff;

/**
 * Gives a store the account key that its addresses come from, in the caller's transaction. Stores with one key share
 * its derivation, and a key that comes back goes on where it stood: `startIndex` can only raise the next index, so no
 * index is ever given twice.
 * @throws DomainError `validation-failed` at `/startIndex`.
 */
export async function setWallet(
  ctx: CommandContext,
  manager: EntityManager,
  storeId: string,
  wallet: { key: AccountKey; startIndex?: number | undefined },
): Promise<void> {
  const { key, startIndex = 0 } = wallet;
  if (!Number.isInteger(startIndex) || startIndex < 0 || startIndex > INDEX_MAX)
    throw invalidField("/startIndex", `Must be a whole number from 0 to ${INDEX_MAX}.`);
  const [derivation] = await manager.query<{ id: string }[]>(
    `INSERT INTO derivations (id, account_key, script_type, xpub, next_index) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_key, script_type)
       DO UPDATE SET next_index = greatest(derivations.next_index, excluded.next_index)
     RETURNING id`,
    [ctx.newId("drv"), key.accountKey, key.scriptType, key.xpub, startIndex],
  );
  if (derivation === undefined) throw new Error("the derivation was not written");
  await manager.upsert(
    StorePaymentMethod,
    { storeId, type: "BTC-CHAIN", derivationId: derivation.id },
    { conflictPaths: ["storeId", "type"] },
  );
}
