import { type EntityManager, QueryFailedError } from "typeorm";
import { deriveAddress } from "../domain/chain/derive-address";
import { gather } from "../domain/gather";
import { WatchedScript } from "../entities/watched-script";
import type { CommandContext } from "./context";
import type { Wallet } from "./payable-methods";
import { inTime } from "./in-time";
import { perDatabase } from "./per-database";
import { TOGETHER } from "./together";

/** An address that was given to nobody yet. */
export interface FreshAddress {
  derivationId: string;
  addressIndex: number;
  address: string;
  scriptPubKey: Buffer;
}

/** How many addresses in a row may turn out to be taken (a backup was restored) before somebody has to look. */
const TAKEN_ADDRESSES_MAX = 100;

/** Runs `insert`, a transaction, with the derivation's next address; again with the one after it where that is taken. */
export async function withFreshAddress<T>(
  ctx: CommandContext,
  derivation: Wallet,
  insert: (address: FreshAddress) => Promise<T>,
): Promise<T> {
  for (let taken = 0; ; taken += 1) {
    const address = addressAt(ctx, derivation, await nextIndexOf(ctx.db)(derivation.id));
    try {
      return await insert(address);
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
  derivation: Wallet,
  invoiceId: string,
): Promise<FreshAddress> {
  for (let taken = 0; taken <= TAKEN_ADDRESSES_MAX; taken += 1) {
    const fresh = addressAt(ctx, derivation, await nextIndexWithin(manager, derivation.id));
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

function addressAt(ctx: CommandContext, derivation: Wallet, addressIndex: number): FreshAddress {
  const { address, scriptPubKey } = deriveAddress(derivation, addressIndex, ctx.settings.network);
  return { derivationId: derivation.id, addressIndex, address, scriptPubKey };
}

/**
 * Takes the next indices of a derivation in a statement of its own: a crash leaves holes, never a second use. It does
 * not wait for the disk, and so nobody waits for its lock that long: a server that crashes keeps a prefix of what was
 * committed, so where it has forgotten that an index was taken, it has forgotten the invoice that took it.
 */
async function takeIndices(manager: EntityManager, derivationId: string, count: number): Promise<number[]> {
  const [rows] = await manager.query<[{ next: number }[], number]>(
    `UPDATE derivations SET next_index = next_index + $2::int
       FROM (SELECT set_config('synchronous_commit', 'off', true)) AS without_waiting
      WHERE id = $1 RETURNING next_index AS next`,
    [derivationId, count],
  );
  const next = rows[0]?.next;
  if (next === undefined) throw new Error(`derivation ${derivationId} is gone`);
  return Array.from({ length: count }, (_, at) => next - count + at);
}

/** Within the caller's transaction, with which it is given back. */
async function nextIndexWithin(manager: EntityManager, derivationId: string): Promise<number> {
  const [rows] = await manager.query<[{ index: number }[], number]>(
    `UPDATE derivations SET next_index = next_index + 1 WHERE id = $1 RETURNING next_index - 1 AS index`,
    [derivationId],
  );
  const index = rows[0]?.index;
  if (index === undefined) throw new Error(`derivation ${derivationId} is gone`);
  return index;
}

/**
 * One index of a derivation, by its id; what is asked for at once is taken together, and each gets its own. Two
 * statements at a time: the second finds what the first has counted up, and where one hangs on a dead connection the
 * other goes on.
 */
const nextIndexOf = perDatabase((db) => {
  const takers = new Map<string, { take: (item: null) => Promise<number>; asked: number }>();
  const newTaker = (id: string) => ({
    take: gather<null, number>(({ length }) => inTime(takeIndices(db.manager, id, length)), TOGETHER),
    asked: 0,
  });
  return async (derivationId: string) => {
    const taker = takers.get(derivationId) ?? newTaker(derivationId);
    takers.set(derivationId, taker);
    taker.asked += 1;
    try {
      return await taker.take(null);
    } finally {
      taker.asked -= 1;
      if (taker.asked === 0) takers.delete(derivationId);
    }
  };
});

function isTakenAddress(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, table } = error.driverError as { code?: string; table?: string };
  return code === "23505" && table === "watched_scripts";
}
