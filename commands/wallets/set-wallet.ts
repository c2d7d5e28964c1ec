import { type EntityManager, In } from "typeorm";
import type { AccountKey } from "../../domain/wallet/account-key";
import { ADDRESS_INDEX_MAX, startIndexLimit } from "../../domain/wallet/address-index";
import { parseExtendedKey } from "../../domain/wallet/extended-key";
import { invalidField } from "../../domain/errors";
import { Wallet } from "../../entities/wallet";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { WatchedScript } from "../../entities/watched-script";
import { skipFormerAddresses } from "./allocate-address";
import { xpubPlace } from "../server/sealed-places";
import { alertOfJump, refuseWalletInUse } from "./shared-wallet";
import { linkFields, openXpub } from "./wallet-link";
import type { Tx } from "../transaction";

/**
 * In the caller's transaction. Stores with the same key share the wallet's row; a key that is set again continues at
 * its index, and `startIndex` can only raise it, so none is allocated twice. Returns whether it did.
 * @throws DomainError `validation-failed` at `/startIndex`, `wallet-in-use`.
 */
export async function setWallet(
  tx: Tx,
  storeId: string,
  wallet: { key: AccountKey; startIndex?: number | undefined },
): Promise<boolean> {
  const { key, startIndex = 0 } = wallet;
  if (!Number.isInteger(startIndex) || startIndex < 0 || startIndex > ADDRESS_INDEX_MAX)
    throw invalidField("/startIndex", `Must be a whole number from 0 to ${ADDRESS_INDEX_MAX}.`);
  const row = await lockWallet(tx, key);
  const { id, scriptType, nextIndex } = row;
  await refuseWalletInUse(tx, storeId, id);
  const xpub = await storedXpub(tx, row, key);
  const mac = tx.secrets.mac(linkFields(storeId, { id, scriptType, xpub }));
  await tx.manager.upsert(
    StorePaymentMethod,
    { storeId, type: "BTC-CHAIN", walletId: id, mac },
    { conflictPaths: ["storeId", "type"] },
  );
  if (startIndex <= nextIndex) return false;
  if (tx.actor.kind !== "cli") await refuseFarStart(tx.manager, id, startIndex);
  await tx.manager.update(Wallet, id, { nextIndex: startIndex });
  await alertOfJump(tx, id, { from: nextIndex, to: startIndex, by: storeId });
  return true;
}

/** Created if there is none; nobody else allocates from it until the transaction ends. */
async function lockWallet(tx: Tx, { accountKey, scriptType, xpub }: AccountKey): Promise<Wallet> {
  const [accountKeyHash, ...formerHashes] = tx.secrets.lookupHashes(accountKey);
  if (accountKeyHash === undefined) throw new Error("no hash to find the key by");
  const where = { accountKeyHash: In([accountKeyHash, ...formerHashes]), scriptType };
  if (!(await tx.manager.existsBy(Wallet, where))) {
    const id = tx.newId("drv");
    const made = { id, accountKeyHash, scriptType, xpubEncrypted: tx.secrets.encrypt(xpub, xpubPlace(id)) };
    await tx.manager.createQueryBuilder().insert().into(Wallet).values(made).orIgnore().execute();
    if (await tx.manager.existsBy(Wallet, { id })) await skipFormerAddresses(tx, { id, scriptType, xpub });
  }
  return tx.manager.findOneOrFail(Wallet, {
    where,
    order: { nextIndex: "DESC" },
    lock: { mode: "for_no_key_update" },
  });
}

/** Corrected if it was overwritten by somebody else. */
async function storedXpub(
  { manager, secrets, settings: { network } }: Tx,
  wallet: Wallet,
  { accountKey, xpub }: AccountKey,
): Promise<string> {
  const stored = openXpub(secrets, wallet);
  if (stored !== null && parseExtendedKey(stored, network, "/xpub").accountKey === accountKey) return stored;
  const { id } = wallet;
  await manager.update(Wallet, id, { xpubEncrypted: secrets.encrypt(xpub, xpubPlace(id)) });
  return xpub;
}

/** @throws DomainError `validation-failed` at `/startIndex`. */
async function refuseFarStart(manager: EntityManager, walletId: string, startIndex: number): Promise<void> {
  const limit = startIndexLimit(await manager.maximum(WatchedScript, "addressIndex", { walletId }));
  if (startIndex > limit)
    throw invalidField(
      "/startIndex",
      `Must be at most ${limit}, which is 10,000 above the highest index that this wallet has given out. The server's operator can go further: cli wallet skip.`,
    );
}
