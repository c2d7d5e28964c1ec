import { type EntityManager, QueryFailedError } from "typeorm";
import { deriveAddress } from "../domain/chain/derive-address";
import type { Derivation } from "../entities/derivation";
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
    const address = await nextAddress(ctx, derivation);
    try {
      return await ctx.db.transaction((manager) => insert(manager, address));
    } catch (error) {
      if (!isTakenAddress(error) || taken === TAKEN_ADDRESSES_MAX) throw error;
      ctx.log.warn(
        { derivationId: derivation.id, addressIndex: address.addressIndex },
        "address is taken already; going on to the next",
      );
    }
  }
}

/** Takes the derivation's next index in a statement of its own: no lock waits for a commit, and a crash leaves a hole, never a second use. */
async function nextAddress(ctx: CommandContext, derivation: Derivation): Promise<FreshAddress> {
  const [rows] = await ctx.db.query<[{ index: number }[], number]>(
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
