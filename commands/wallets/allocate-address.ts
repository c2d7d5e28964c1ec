import { type EntityManager, In } from "typeorm";
import { addressesOf } from "../../domain/wallet/derive-address";
import { DomainError } from "../../domain/errors";
import { groupBy } from "../../domain/group-by";
import { Wallet } from "../../entities/wallet";
import { WatchedScript } from "../../entities/watched-script";
import type { StoredAddress } from "./destination-macs";
import { insertRows } from "../../database/insert-rows";
import { KEEP_GIVEN_OUT, moveBehindGivenOut, takeIndexes } from "./queries";
import type { OpenedWallet } from "./wallet-link";
import type { Tx } from "../transaction";

export interface AddressRequest {
  invoiceId: string;
  wallet: OpenedWallet;
}

/** After the index was moved beyond all that are taken; more is an error. */
const TAKEN_ADDRESSES_MAX = 100;

/**
 * In the caller's transaction, whose rollback returns the indexes; others wait for its commit. Wallets are locked in
 * the order of their ids. Returns addresses by invoice.
 * @throws DomainError `payment-method-unavailable` when a wallet has no index left.
 */
export async function allocateAddresses(
  tx: Tx,
  requests: readonly AddressRequest[],
): Promise<Map<string, StoredAddress>> {
  const ofWallet = groupBy(requests, ({ wallet }) => wallet.id);
  const allocated = new Map<string, StoredAddress>();
  for (const id of [...ofWallet.keys()].sort())
    for (const one of await allocateOfWallet(tx, ofWallet.get(id) ?? [])) allocated.set(one.invoiceId, one);
  return allocated;
}

async function allocateOfWallet(tx: Tx, requests: readonly AddressRequest[]): Promise<StoredAddress[]> {
  const [first] = requests;
  if (first === undefined) return [];
  const walletId = first.wallet.id;
  const addressAt = addressesOf(first.wallet, tx.settings.network);
  const allocated: StoredAddress[] = [];
  let waiting = requests.map(({ invoiceId }) => invoiceId);
  for (let taken = 0; taken <= TAKEN_ADDRESSES_MAX; taken += 1) {
    const next = await takeInARow(tx.manager, walletId, waiting.length);
    const fresh = waiting.map((invoiceId, at) => {
      const { address, scriptPubKey } = addressAt(next + at);
      return { invoiceId, walletId, addressIndex: next + at, address, scriptPubKey };
    });
    const inserted = await insertScripts(tx.manager, fresh);
    const refused = fresh.filter(({ addressIndex }) => !inserted.has(addressIndex));
    allocated.push(...fresh.filter(({ addressIndex }) => inserted.has(addressIndex)));
    const [one] = refused;
    if (one === undefined) return allocated;
    await skipGivenOut(tx, one);
    waiting = refused.map(({ invoiceId }) => invoiceId);
  }
  throw new Error(`${TAKEN_ADDRESSES_MAX} addresses of wallet ${walletId} in a row are taken already`);
}

/** Returns the first. */
async function takeInARow(manager: EntityManager, walletId: string, count: number): Promise<number> {
  const [taken] = (await takeIndexes(manager, walletId, count)).rows;
  if (taken !== undefined) return taken.first;
  if (!(await manager.existsBy(Wallet, { id: walletId }))) throw new Error(`wallet ${walletId} is gone`);
  throw new DomainError(
    "payment-method-unavailable",
    "The store's wallet has no address left. Set another account key for BTC-CHAIN.",
  );
}

/** Returns the indexes that belong to these invoices now. */
async function insertScripts(manager: EntityManager, fresh: readonly StoredAddress[]): Promise<Set<number>> {
  const scripts = fresh.map(({ address: _, ...script }) => script);
  const inserted = await insertRows<{ addressIndex: number }>(
    manager,
    { into: WatchedScript, rows: scripts },
    KEEP_GIVEN_OUT,
  );
  return new Set(inserted.map(({ addressIndex }) => addressIndex));
}

/**
 * The index was set back, or another row of the key exists. The scripts' primary key prevents allocating an address
 * twice; this makes the next attempt succeed.
 */
async function skipGivenOut(
  { manager, log }: Tx,
  { walletId, addressIndex, scriptPubKey }: Omit<StoredAddress, "invoiceId" | "address">,
): Promise<void> {
  log.warn({ walletId, addressIndex }, "wallet: address already used, continuing after the last one");
  await moveBehindGivenOut(manager, walletId, scriptPubKey);
}

const FIRST_ADDRESSES = 100;

/** For a key that is new here: addresses that were allocated before are skipped. */
export async function skipFormerAddresses(tx: Tx, wallet: OpenedWallet): Promise<void> {
  if (!(await tx.manager.exists(WatchedScript))) return; // in a new installation a hundred would be derived in vain
  const addressAt = addressesOf(wallet, tx.settings.network);
  const scripts = Array.from({ length: FIRST_ADDRESSES }, (_, index) => addressAt(index).scriptPubKey);
  const taken = await tx.manager.findOneBy(WatchedScript, { scriptPubKey: In(scripts) });
  if (taken !== null)
    await skipGivenOut(tx, {
      walletId: wallet.id,
      addressIndex: taken.addressIndex,
      scriptPubKey: taken.scriptPubKey,
    });
}
