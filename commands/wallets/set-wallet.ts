import { type EntityManager, In } from "typeorm";
import type { AccountKey } from "../../domain/wallet/account-key";
import { ADDRESS_INDEX_MAX, startIndexLimit } from "../../domain/wallet/address-index";
import { parseExtendedKey } from "../../domain/wallet/extended-key";
import { invalidField } from "../../domain/errors";
import { Derivation } from "../../entities/derivation";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { WatchedScript } from "../../entities/watched-script";
import type { CommandContext } from "../context";
import { skipFormerAddresses } from "./allocate-address";
import { xpubPlace } from "../server/sealed-places";
import { alertOfJump, refuseWalletInUse } from "./shared-wallet";
import { linkFields, openXpub } from "./wallet-link";

/**
 * Gives a store the account key that its addresses come from, in the caller's transaction. Stores with one key share
 * its derivation, and a key that comes back goes on where it stood: `startIndex` can only raise the next index, so no
 * index is ever given twice. Answers whether it did.
 * @throws DomainError `validation-failed` at `/startIndex`, `wallet-in-use`.
 */
export async function setWallet(
  ctx: CommandContext,
  manager: EntityManager,
  storeId: string,
  wallet: { key: AccountKey; startIndex?: number | undefined },
): Promise<boolean> {
  const { key, startIndex = 0 } = wallet;
  if (!Number.isInteger(startIndex) || startIndex < 0 || startIndex > ADDRESS_INDEX_MAX)
    throw invalidField("/startIndex", `Must be a whole number from 0 to ${ADDRESS_INDEX_MAX}.`);
  const derivation = await lockDerivation(ctx, manager, key);
  const { id, scriptType, nextIndex } = derivation;
  await refuseWalletInUse(manager, ctx, storeId, id);
  const xpub = await storedXpub(ctx, manager, derivation, key);
  const mac = ctx.secrets.mac(linkFields(storeId, { id, scriptType, xpub }));
  await manager.upsert(
    StorePaymentMethod,
    { storeId, type: "BTC-CHAIN", derivationId: id, mac },
    { conflictPaths: ["storeId", "type"] },
  );
  if (startIndex <= nextIndex) return false;
  if (ctx.actor.kind !== "cli") await refuseFarStart(manager, id, startIndex);
  await manager.update(Derivation, id, { nextIndex: startIndex });
  await alertOfJump(manager, ctx, id, { from: nextIndex, to: startIndex, by: storeId });
  return true;
}

/** The key's derivation, made if it is not there; nobody takes an index of it until the transaction ends. */
async function lockDerivation(
  ctx: CommandContext,
  manager: EntityManager,
  { accountKey, scriptType, xpub }: AccountKey,
): Promise<Derivation> {
  const [accountKeyHash, ...formerHashes] = ctx.secrets.lookupHashes(accountKey);
  if (accountKeyHash === undefined) throw new Error("no hash to find the key by");
  const where = { accountKeyHash: In([accountKeyHash, ...formerHashes]), scriptType };
  if (!(await manager.existsBy(Derivation, where))) {
    const id = ctx.newId("drv");
    const made = { id, accountKeyHash, scriptType, xpubEncrypted: ctx.secrets.encrypt(xpub, xpubPlace(id)) };
    await manager.createQueryBuilder().insert().into(Derivation).values(made).orIgnore().execute();
    if (await manager.existsBy(Derivation, { id }))
      await skipFormerAddresses(manager, ctx, { id, scriptType, xpub });
  }
  return manager.findOneOrFail(Derivation, {
    where,
    order: { nextIndex: "DESC" },
    lock: { mode: "for_no_key_update" },
  });
}

/** The row's key; put right where somebody else has written another one there. */
async function storedXpub(
  { secrets, settings: { network } }: CommandContext,
  manager: EntityManager,
  derivation: Derivation,
  { accountKey, xpub }: AccountKey,
): Promise<string> {
  const stored = openXpub(secrets, derivation);
  if (stored !== null && parseExtendedKey(stored, network, "/xpub").accountKey === accountKey) return stored;
  const { id } = derivation;
  await manager.update(Derivation, id, { xpubEncrypted: secrets.encrypt(xpub, xpubPlace(id)) });
  return xpub;
}

/** @throws DomainError `validation-failed` at `/startIndex`. */
async function refuseFarStart(
  manager: EntityManager,
  derivationId: string,
  startIndex: number,
): Promise<void> {
  const limit = startIndexLimit(await manager.maximum(WatchedScript, "addressIndex", { derivationId }));
  if (startIndex > limit)
    throw invalidField(
      "/startIndex",
      `Must be at most ${limit}, which is 10,000 above the highest index that this wallet has given out. The server's operator can go further: cli wallet skip.`,
    );
}
