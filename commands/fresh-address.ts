import { type EntityManager, QueryFailedError } from "typeorm";
import { deriveAddress } from "../domain/chain/derive-address";
import type { Derivation } from "../entities/derivation";
import { WatchedScript } from "../entities/watched-script";
import type { CommandContext } from "./context";

/** An address that was given to nobody yet. */
export interface FreshAddress {
  derivationId: string;
  addressIndex: number;
  address: string;
  scriptPubKey: Buffer;
}

/** How many addresses in a row may turn out to be taken (a backup was restored) before somebody has to look. */
const TAKEN_ADDRESSES_MAX = 100;

/** Runs `insert` in one transaction with the derivation's next address; again with the one after it where that is taken. */
export async function withFreshAddress<T>(
  ctx: CommandContext,
  derivation: Derivation,
  insert: (manager: EntityManager, address: FreshAddress) => Promise<T>,
): Promise<T> {
  for (let taken = 0; ; taken += 1) {
    const address = await nextAddress(ctx.db.manager, ctx, derivation);
    try {
      return await ctx.db.transaction((manager) => insert(manager, address));
    } catch (error) {
      if (!isTakenAddress(error) || taken === TAKEN_ADDRESSES_MAX) throw error;
      warnTaken(ctx, address);
    }
  }
}

function warnTaken({ log }: CommandContext, { derivationId, addressIndex }: FreshAddress): void {
  log.warn({ derivationId, addressIndex }, "address is taken already; going on to the next");
}

/**
 * Gives an invoice the derivation's next address within the caller's transaction: whatever undoes that gives the index
 * back. Others who want an address of this wallet wait for the commit, so the caller does nothing long after it.
 */
export async function takeFreeAddress(
  manager: EntityManager,
  ctx: CommandContext,
  derivation: Derivation,
  invoiceId: string,
): Promise<FreshAddress> {
  for (let taken = 0; taken <= TAKEN_ADDRESSES_MAX; taken += 1) {
    const fresh = await nextAddress(manager, ctx, derivation);
    const { address: _, ...script } = fresh;
    // A violated key would end the transaction.
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(WatchedScript)
      .values({ ...script, invoiceId })
      .orIgnore()
      .returning("address_index")
      .execute();
    if ((inserted.raw as unknown[]).length === 1) return fresh;
    warnTaken(ctx, fresh);
  }
  throw new Error(
    `${TAKEN_ADDRESSES_MAX} addresses of derivation ${derivation.id} in a row are taken already`,
  );
}

/**
 * Takes the derivation's next index. In a statement of its own no lock waits for a commit, and a crash leaves a hole,
 * never a second use.
 */
async function nextAddress(
  manager: EntityManager,
  ctx: CommandContext,
  derivation: Derivation,
): Promise<FreshAddress> {
  const [rows] = await manager.query<[{ index: number }[], number]>(
    `UPDATE derivations SET next_index = next_index + 1 WHERE id = $1 RETURNING next_index - 1 AS index`,
    [derivation.id],
  );
  const addressIndex = rows[0]?.index;
  if (addressIndex === undefined) throw new Error(`derivation ${derivation.id} is gone`);
  const { address, scriptPubKey } = deriveAddress(derivation, addressIndex, ctx.settings.network);
  return { derivationId: derivation.id, addressIndex, address, scriptPubKey };
}

function isTakenAddress(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, table } = error.driverError as { code?: string; table?: string };
  return code === "23505" && table === "watched_scripts";
}
