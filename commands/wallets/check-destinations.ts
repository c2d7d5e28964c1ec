import { In, MoreThan } from "typeorm";
import { addressesOf } from "../../domain/wallet/derive-address";
import { SCRIPT_TYPES } from "../../domain/wallet/script-type";
import type { Network } from "../../domain/network";
import { Wallet } from "../../entities/wallet";
import { Invoice } from "../../entities/invoice";
import type { CommandContext } from "../context";
import type { StoredMethod } from "./queries";
import { alertOfWrong, readStoredMethods, type WrongDestination } from "./read-destinations";
import { openXpub } from "./wallet-link";

const BATCH = 500;

type Reader = Pick<CommandContext, "db" | "secrets"> & { network: Network };

/**
 * Checks invoices that may still be paid: every MAC, and every address, derived again. Trusts no row that it cannot
 * verify.
 */
export async function findWrongDestinations(
  reader: Reader,
): Promise<{ checked: number; wrong: WrongDestination[] }> {
  const wrong: WrongDestination[] = [];
  let checked = 0;
  for (let after = ""; ;) {
    const invoices = await reader.db.manager.find(Invoice, {
      select: { id: true, storeId: true },
      where: { id: MoreThan(after), status: In(["New", "Processing"]) },
      order: { id: "ASC" },
      take: BATCH,
    });
    const storeOf = new Map(invoices.map(({ id, storeId }) => [id, storeId]));
    const stored = await readStoredMethods(
      reader,
      invoices.map(({ id }) => id),
    );
    const walletOf = await readWallets(reader, stored);
    checked += stored.filter(({ destination }) => destination !== null).length;
    for (const { authentic, ...method } of stored) {
      const { invoiceId, type } = method;
      if (!authentic || !isDerived(method, walletOf))
        wrong.push({ invoiceId, type, storeId: storeOf.get(invoiceId) ?? "" });
    }
    const last = invoices.at(-1);
    if (last === undefined || invoices.length < BATCH) return { checked, wrong };
    after = last.id;
  }
}

/** With an alert for each store. Returns how many there are. */
export async function checkDestinations(ctx: CommandContext): Promise<number> {
  const { checked, wrong } = await findWrongDestinations({ ...ctx, network: ctx.settings.network });
  await alertOfWrong(ctx, wrong);
  ctx.log.info({ checked, wrong: wrong.length }, "destination: open invoices checked");
  return wrong.length;
}

/** By id. Null: not stored by this service. */
type Wallets = ReadonlyMap<string, ReturnType<typeof addressesOf>>;

async function readWallets(
  { db, secrets, network }: Reader,
  methods: readonly StoredMethod[],
): Promise<Wallets> {
  const ids = [...new Set(methods.flatMap(({ walletId }) => walletId ?? []))];
  const wallets = new Map<string, ReturnType<typeof addressesOf>>();
  for (const wallet of await db.manager.findBy(Wallet, { id: In(ids) })) {
    const { id, scriptType } = wallet;
    const xpub = openXpub(secrets, wallet);
    if (xpub !== null && SCRIPT_TYPES.includes(scriptType))
      wallets.set(id, addressesOf({ scriptType, xpub }, network));
  }
  return wallets;
}

/** Also true for a BOLT11, or no destination. */
function isDerived(
  { type, destination, walletId, addressIndex, scriptPubKey }: StoredMethod,
  walletOf: Wallets,
): boolean {
  if (type === "BTC-LN" || destination === null) return true;
  const addressAt = walletOf.get(walletId ?? "");
  if (addressAt === undefined || addressIndex === null || scriptPubKey === null) return false;
  const derived = addressAt(addressIndex);
  return derived.address === destination && derived.scriptPubKey.equals(scriptPubKey);
}
