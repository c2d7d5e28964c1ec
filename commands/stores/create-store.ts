import { parseAccountKey, type AccountKeyInput } from "../../domain/wallet/account-key";
import { checkedMinorUnits } from "../../domain/money/currencies";
import { DomainError, invalidField } from "../../domain/errors";
import { mayCreateStores } from "../../domain/account/store-creation";
import { Store } from "../../entities/store";
import { StoreMember } from "../../entities/store-member";
import type { CommandContext } from "../context";
import { insertAuthentic } from "../server/authentic-rows";
import { checkedName } from "./name";
import { lockUser } from "./queries";
import { setWallet } from "../wallets/set-wallet";
import { offerLightning } from "../lightning/switch-lightning";
import { writeAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

const CONFIRMATIONS_MAX = 100;

export interface CreateStoreInput {
  name: string;
  /** Without a wallet the store accepts no on-chain payments. */
  wallet?: AccountKeyInput & { startIndex?: number | undefined };
  /** BTC, SATS or an ISO 4217 code; default BTC. */
  defaultCurrency?: string;
  /** 1 to 100, default 1. Zero needs a maximum amount, a setting of its own. */
  requiredConfirmations?: number;
  /** For server admins only, which the API checks. */
  lightning?: boolean;
}

async function addOwner(tx: Tx, storeId: string): Promise<void> {
  const { kind, id: userId } = tx.actor;
  if (kind !== "user" || userId === null) return;
  const createdAt = await tx.now();
  await insertAuthentic(tx, StoreMember, [{ storeId, userId, role: "owner", createdAt }]);
}

/**
 * Admins and the command line may create any number. One user's creations are serialised, so that all are counted,
 * archived ones too.
 * @throws DomainError `admin-only`, `limit-reached`
 */
async function checkCreator({ manager, actor, settings }: Tx): Promise<void> {
  if (actor.kind !== "user" || actor.id === null) return;
  const { storeCreation, maxStoresPerUser: limit } = settings;
  const [user] = (await lockUser(manager, actor.id)).rows;
  const admin = user?.admin ?? false;
  if (!mayCreateStores({ admin }, storeCreation))
    throw new DomainError(
      "admin-only",
      "Only server admins can create stores here. Ask one to create yours.",
    );
  if (admin) return;
  if ((await manager.countBy(StoreMember, { userId: actor.id, role: "owner" })) >= limit)
    throw new DomainError(
      "limit-reached",
      `A user can own at most ${limit} stores, archived ones included. Use one of yours, or ask a server admin to create the store.`,
    );
}

/**
 * @throws DomainError `validation-failed` with the field that is wrong; the key itself is never repeated;
 * `wallet-in-use`, `admin-only`, `limit-reached`.
 */
export async function createStore(ctx: CommandContext, input: CreateStoreInput): Promise<Store> {
  const name = checkedName(input.name);
  const { wallet, defaultCurrency, requiredConfirmations } = input;
  if (defaultCurrency !== undefined) checkedMinorUnits(defaultCurrency, "/defaultCurrency");
  if (
    requiredConfirmations !== undefined &&
    !(
      Number.isInteger(requiredConfirmations) &&
      requiredConfirmations >= 1 &&
      requiredConfirmations <= CONFIRMATIONS_MAX
    )
  )
    throw invalidField("/requiredConfirmations", `Must be a whole number from 1 to ${CONFIRMATIONS_MAX}.`);
  const key = wallet && parseAccountKey(wallet, ctx.settings.network);
  const id = ctx.newStoreId();
  return inTransaction(ctx, async (tx) => {
    await checkCreator(tx);
    await tx.manager.insert(Store, {
      id,
      name,
      ...(defaultCurrency === undefined ? {} : { defaultCurrency }),
      ...(requiredConfirmations === undefined ? {} : { requiredConfirmations }),
    });
    await addOwner(tx, id);
    await writeAudit(tx, { action: "store.created", storeId: id, subject: id, details: { name } });
    if (key !== undefined) await setWallet(tx, id, { key, startIndex: wallet?.startIndex });
    if (input.lightning === true) await offerLightning(tx, id);
    return tx.manager.findOneByOrFail(Store, { id });
  });
}
