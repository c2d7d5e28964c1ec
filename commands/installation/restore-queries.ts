import { statement } from "../../database/statement";
import { HELD_AFTER_RESTORE, RETRY_SECONDS } from "../../domain/webhook/claim";
import { ADDRESS_INDEX_MAX } from "../../domain/wallet/address-index";
import { whereLost, whereUnmined } from "../../entities/payment";
import { BLIND_AFTER_SECONDS } from "../invoices/decision-queries";
import { IS_DEEP_ENOUGH } from "../chain/queries";
import { waitsForRetry } from "../../entities/webhook-delivery";

/** More than any store has had since a backup. */
const FEED_GAP = 1_000_000_000;

export interface MovedWallet {
  walletId: string;
  from: number;
  to: number;
}

export const skipInAllWallets = statement<[by: number], MovedWallet>(
  "backup.skip-in-all-wallets",
  `WITH before AS MATERIALIZED (SELECT id, next_index FROM wallets FOR NO KEY UPDATE)
   UPDATE wallets w SET next_index = least(w.next_index::bigint + $1::int, ${ADDRESS_INDEX_MAX})
     FROM before WHERE before.id = w.id
   RETURNING w.id AS "walletId", before.next_index AS "from", w.next_index AS "to"`,
);

/** Pending, or waiting for a retry to a shop plugin. */
export const holdPending = statement<[], unknown>(
  "backup.hold-pending",
  `UPDATE webhook_deliveries d SET state = 'failed', error = '${HELD_AFTER_RESTORE}', retry_at = NULL
    WHERE d.state = 'pending' OR d.state = 'queued' OR ${waitsForRetry("d")}`,
);

/** The sweep finds it interrupted; nothing of it is retried, as if all retries were used. */
export const endRetriesOfSending = statement<[], unknown>(
  "backup.end-retries-of-sending",
  `UPDATE webhook_deliveries SET retry_count = ${RETRY_SECONDS.length}
    WHERE state = 'sending'`,
);

/** Whoever wants the receipt can ask again on the page. */
export const forgetReceipts = statement<[], unknown>(
  "backup.forget-receipts",
  "UPDATE receipt_mails SET email = NULL WHERE email IS NOT NULL",
);

/** Far above every position that was given out. */
export const insertRestore = statement<[id: string, takenAt: Date]>(
  "backup.insert-restore",
  `INSERT INTO restores (id, taken_at, restored_at, feed_after)
   SELECT $1, $2::timestamptz, greatest(clock_timestamp(), $2::timestamptz),
          greatest((SELECT max(feed_seq) FROM invoice_events), (SELECT max(feed_after) FROM restores), 0) + ${FEED_GAP}`,
);

/** Used or ended since, they must not be valid again. */
export const endLogins = statement<[], unknown>(
  "backup.end-logins",
  `WITH no_sessions AS (DELETE FROM sessions), no_challenges AS (DELETE FROM passkey_challenges)
   DELETE FROM user_links`,
);

const IS_OF_BACKUP = "i.created_at <= restored_at";

/**
 * SQL: a Processing invoice may have become Invalid before the loss, whatever the network shows now; others only after
 * a count that began again (domain/chain/refused-payment).
 */
const IS_UNDECIDED = `(${whereUnmined("p")} AND (i.status = 'Processing' AND p.first_seen_at <= restored_at
                              OR p.missing_since IS NOT NULL OR p.conflict_since IS NOT NULL)
                          OR ${whereLost("p")} AND p.inputs_missing_height IS NOT NULL AND NOT p.given_up)`;

/**
 * SQL: the chain was checked also after the last gap, in which no refusal counts, and without a pause, which begins the
 * counts again.
 */
const CHAIN_IS_CHECKED = `EXISTS (SELECT FROM payment_method_syncs WHERE type = 'BTC-CHAIN' AND caught_up_to > greatest(
  restored_at, (SELECT max(closed_at) FROM chain_gaps), $3::timestamptz - ${BLIND_AFTER_SECONDS} * interval '1 second'))`;

/** SQL: a Lightning node is still to be checked. A store's that is away holds nobody else. */
const NODE_IS_UNCHECKED = `EXISTS (SELECT FROM lightning_nodes n
  WHERE n.state = 'active' AND ($2 OR n.store_id IS NOT NULL) AND coalesce(n.caught_up_to <= restored_at, true)
    AND NOT (n.store_id IS NOT NULL AND n.fault IS NOT NULL AND n.checked_at > restored_at))`;

/**
 * Everything from before the restore is decided: networks checked, no blocks missing, nothing failed, no decision due,
 * no depth left to count. `chain` and `server`: those nodes are in the settings.
 */
export const endHolds = statement<[chain: boolean, server: boolean, now: Date], { id: string }>(
  "backup.end-holds",
  `UPDATE restores SET hold_ended_at = clock_timestamp()
    WHERE hold_ended_at IS NULL AND (NOT $1 OR ${CHAIN_IS_CHECKED}) AND NOT ${NODE_IS_UNCHECKED}
      AND NOT EXISTS (SELECT FROM chain_gaps WHERE closed_at IS NULL)
      AND NOT EXISTS (SELECT FROM set_aside)
      AND NOT EXISTS (SELECT FROM invoices i WHERE decide_at <= $3::timestamptz AND ${IS_OF_BACKUP})
      AND NOT EXISTS (SELECT FROM invoices i WHERE expiry_held AND ${IS_OF_BACKUP})
      AND NOT EXISTS (SELECT FROM payments WHERE state = 'pending' AND ${IS_DEEP_ENOUGH})
      AND NOT EXISTS (SELECT FROM payments p JOIN invoices i ON i.id = p.invoice_id
                       WHERE $1 AND ${IS_OF_BACKUP} AND ${IS_UNDECIDED})
   RETURNING id`,
);
