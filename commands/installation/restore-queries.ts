import { statement } from "../../database/statement";
import { HELD_AFTER_RESTORE, RETRY_SECONDS } from "../../domain/webhook/claim";
import { ADDRESS_INDEX_MAX } from "../../domain/wallet/address-index";
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
