import type { EntityManager } from "typeorm";

/** What wallets look ahead by default when they are restored (BIP 44, "Address gap limit"). */
export const GAP_LIMIT = 20;

/** How much of a wallet was paid: by this its owner's own wallet finds its addresses, or does not. */
export interface WalletUse {
  derivationId: string;
  /** Of the last address that was paid; null where none was. */
  highestPaidIndex: number | null;
  /** Addresses that were given out since and not paid. A wallet that looks fewer ahead does not show what comes to the last. */
  unpaidInARow: number;
}

/** Addresses that are looked at unless told otherwise: of a wallet with more unpaid ones in a row, no more are counted. */
const LOOK_BACK = 10_000;

/** Of each of these wallets, or of all. Payments by Lightning, and those that left the mempool, pay no address. */
export async function readWalletUse(
  db: Pick<EntityManager, "query">,
  { derivationId = null, lookBack = LOOK_BACK }: { derivationId?: string | null; lookBack?: number } = {},
): Promise<WalletUse[]> {
  return db.query<WalletUse[]>(
    `SELECT derivation.id AS "derivationId", paid.address_index AS "highestPaidIndex", (
              SELECT count(*)::int FROM (
                SELECT FROM watched_scripts script
                 WHERE script.derivation_id = derivation.id AND script.address_index > coalesce(paid.address_index, -1)
                 LIMIT $2) AS unpaid) AS "unpaidInARow"
       FROM derivations derivation
       LEFT JOIN LATERAL (
         SELECT latest.address_index
           FROM (SELECT script.address_index, script.invoice_id FROM watched_scripts script
                  WHERE script.derivation_id = derivation.id ORDER BY script.address_index DESC LIMIT $2) AS latest
          WHERE EXISTS (SELECT FROM payments payment WHERE payment.invoice_id = latest.invoice_id
                           AND payment.txid IS NOT NULL AND payment.state IN ('pending', 'confirmed'))
          ORDER BY latest.address_index DESC LIMIT 1) AS paid ON true
      WHERE $1::text IS NULL OR derivation.id = $1`,
    [derivationId, lookBack],
  );
}
