import type { JsonRows } from "../../database/insert-rows";
import { statement } from "../../database/statement";
import type { NoticeKind, SummaryInterval } from "../../domain/account/notice";
import type { MailChoice } from "../../entities/mail-choice";
import type { Notice } from "../../entities/notice";

/** A burst of payments is one mail. */
const WAITS = "interval '30 seconds'";
/** To one member of one store. */
const BETWEEN_MAILS = "interval '5 minutes'";
/** After failures as long as it has waited, up to this: a server that answers too late may have delivered each. */
const BETWEEN_RETRIES_MAX = "interval '1 hour'";
/** Sent or not. Until then nothing is lost while the mail server is away, and nothing is written twice. */
const KEPT = "interval '8 days'";
/** Less than that. */
const FOUND = "interval '7 days'";
const AT_ONCE = 200;
/** In one mail; the others are in the next. */
export const NOTICES_MAX = 1_000;

export const countChoices = statement<[storeId: string], { count: number }>(
  "mails.count-choices",
  "SELECT count(*)::int AS count FROM mail_choices WHERE store_id = $1",
);

export const writeChoice = statement<
  [
    id: string,
    storeId: string,
    userId: string,
    kinds: readonly NoticeKind[],
    summary: SummaryInterval,
    feedAfter: string,
    summarisedTo: string,
    now: Date,
  ]
>(
  "mails.write-choice",
  `INSERT INTO mail_choices AS known (id, store_id, user_id, kinds, summary, feed_after, summarised_to, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (store_id, user_id) DO UPDATE
      SET kinds = excluded.kinds, summary = excluded.summary,
          feed_after = CASE WHEN 'paid' = ANY (known.kinds) THEN known.feed_after ELSE excluded.feed_after END,
          created_at = CASE WHEN 'to-review' = ANY (known.kinds) THEN known.created_at ELSE excluded.created_at END,
          summarised_to = CASE WHEN known.summary = 'none' THEN excluded.summarised_to ELSE known.summarised_to END`,
);

export type Behind = Pick<MailChoice, "id" | "storeId" | "feedAfter">;

/** Whose stores have events that were not considered; in one sweep all, from id to id. */
export const findBehind = statement<[afterId: string], Behind>(
  "mails.find-behind",
  `SELECT id, store_id AS "storeId", feed_after AS "feedAfter" FROM mail_choices choice
    WHERE id > $1 AND 'paid' = ANY (kinds)
      AND (EXISTS (SELECT 1 FROM invoice_events WHERE store_id = choice.store_id AND feed_seq > choice.feed_after)
        OR EXISTS (SELECT 1 FROM invoice_events
                    WHERE store_id = choice.store_id AND feed_seq IS NULL AND NOT test))
    ORDER BY id LIMIT ${AT_ONCE}`,
);

/** Both or none; nothing if another process was faster. */
export const writePaid = statement<[choiceId: string, after: string, upTo: string]>(
  "mails.write-paid",
  `WITH choice AS (
     UPDATE mail_choices SET feed_after = $3 WHERE id = $1 AND feed_after = $2 RETURNING id, store_id)
   INSERT INTO notices (choice_id, kind, subject, at)
   SELECT choice.id, 'paid', event.invoice_id, event.created_at
     FROM choice JOIN invoice_events event
       ON event.store_id = choice.store_id AND event.feed_seq > $2 AND event.feed_seq <= $3
    WHERE event.type = 'Settled' AND NOT event.by_hand
   ON CONFLICT DO NOTHING`,
);

/**
 * A notice is kept for longer than a review is found here, so that it is written once, however late a transaction
 * commits.
 */
export const writeReviewNotices = statement<[now: Date]>(
  "mails.write-review-notices",
  `INSERT INTO notices (choice_id, kind, subject, at)
   SELECT choice.id, 'to-review', review.id, review.created_at
     FROM mail_choices choice JOIN reviews review ON review.store_id = choice.store_id
    WHERE 'to-review' = ANY (choice.kinds) AND review.resolved_at IS NULL
      AND review.created_at >= greatest(choice.created_at, $1::timestamptz - ${FOUND})
      AND NOT EXISTS (SELECT 1 FROM notices WHERE choice_id = choice.id AND kind = 'to-review' AND subject = review.id)
    LIMIT ${NOTICES_MAX}
   ON CONFLICT DO NOTHING`,
);

export interface AlertNotice {
  alertId: string;
  storeId: string | null;
  kind: NoticeKind;
  at: Date;
}

/** The server's own: to a member of several stores once. */
export const writeAlertNotices = statement<[alerts: JsonRows<AlertNotice>]>(
  "mails.write-alert-notices",
  `INSERT INTO notices (choice_id, kind, subject, at)
   SELECT DISTINCT ON (alert."alertId", choice.user_id) choice.id, alert.kind, alert."alertId", alert.at
     FROM json_to_recordset($1) AS alert ("alertId" text, "storeId" text, kind text, at timestamptz)
     JOIN mail_choices choice
       ON (alert."storeId" IS NULL OR alert."storeId" = choice.store_id) AND alert.kind = ANY (choice.kinds)
    ORDER BY alert."alertId", choice.user_id, choice.id
   ON CONFLICT DO NOTHING`,
);

/** By the earliest time zone; which are due in the store's is decided afterwards. */
export const findSummaries = statement<
  [now: Date],
  Pick<MailChoice, "id" | "summary"> & { summarisedTo: string; timeZone: string }
>(
  "mails.find-summaries",
  `SELECT choice.id, summary, summarised_to::text AS "summarisedTo", stores.time_zone AS "timeZone"
     FROM mail_choices choice JOIN stores ON stores.id = choice.store_id
    WHERE summary <> 'none'
      AND summarised_to < ($1::timestamptz AT TIME ZONE 'UTC' + interval '14 hours')::date - 1
    ORDER BY summarised_to, choice.id`,
);

export const writeSummary = statement<
  [choiceId: string, after: string, upTo: string, subject: string, now: Date]
>(
  "mails.write-summary",
  `WITH choice AS (
     UPDATE mail_choices SET summarised_to = $3 WHERE id = $1 AND summarised_to = $2 RETURNING id)
   INSERT INTO notices (choice_id, kind, subject, at) SELECT id, 'summary', $4, $5 FROM choice
   ON CONFLICT DO NOTHING`,
);

export interface DueMail extends Pick<MailChoice, "id" | "storeId" | "mailedAt"> {
  email: string;
}

export const findDueMails = statement<[now: Date], DueMail>(
  "mails.find-due",
  `SELECT choice.id, choice.store_id AS "storeId", choice.mailed_at AS "mailedAt", member.email
     FROM mail_choices choice
     JOIN (SELECT store_id, user_id, users.email FROM store_members JOIN users ON users.id = user_id
            WHERE users.disabled_at IS NULL) AS member
       ON member.store_id = choice.store_id AND member.user_id = choice.user_id
    CROSS JOIN LATERAL (SELECT min(at) AS since FROM notices WHERE choice_id = choice.id AND sent_at IS NULL) AS waiting
    WHERE waiting.since <= $1::timestamptz - ${WAITS}
      AND (choice.mailed_at IS NULL OR choice.mailed_at <= $1::timestamptz
             - greatest(${BETWEEN_MAILS}, least(choice.mailed_at - waiting.since, ${BETWEEN_RETRIES_MAX})))
    ORDER BY choice.mailed_at NULLS FIRST, choice.id LIMIT ${AT_ONCE}`,
);

/** No row: another process sends it. */
export const claimMail = statement<[choiceId: string, before: Date | null, now: Date]>(
  "mails.claim",
  "UPDATE mail_choices SET mailed_at = $3 WHERE id = $1 AND mailed_at IS NOT DISTINCT FROM $2",
);

export interface NoticeLine extends Pick<Notice, "kind" | "subject" | "at"> {
  invoiceId: string | null;
  orderId: string | null;
  amount: string | null;
  currency: string | null;
  paidSats: string | null;
  message: string | null;
  /** A review that was decided or withdrawn before this mail. */
  over: boolean;
}

export const readNotices = statement<[choiceId: string], NoticeLine>(
  "mails.read-notices",
  `SELECT notice.kind, notice.subject, notice.at, invoice.id AS "invoiceId",
          invoice.order_id AS "orderId", invoice.amount, invoice.currency, invoice.paid_sats AS "paidSats",
          alert.message, notice.kind = 'to-review' AND (review.id IS NULL OR review.resolved_at IS NOT NULL) AS over
     FROM (SELECT * FROM notices WHERE choice_id = $1 AND sent_at IS NULL
            ORDER BY at LIMIT ${NOTICES_MAX}) AS notice
     LEFT JOIN reviews review ON notice.kind = 'to-review' AND review.id = notice.subject
     LEFT JOIN invoices invoice
       ON notice.kind IN ('paid', 'to-review') AND invoice.id = coalesce(review.invoice_id, notice.subject)
     LEFT JOIN alerts alert ON notice.kind IN ('webhook-failing', 'node-away') AND alert.id = notice.subject
    ORDER BY notice.at`,
);

export const markSent = statement<
  [choiceId: string, notices: JsonRows<Pick<Notice, "kind" | "subject">>, now: Date]
>(
  "mails.mark-sent",
  `UPDATE notices SET sent_at = $3
     FROM json_to_recordset($2) AS sent (kind text, subject text)
    WHERE choice_id = $1 AND notices.kind = sent.kind AND notices.subject = sent.subject`,
);

const PRUNED_AT_ONCE = 1_000;

export const PRUNE_NOTICES = [
  statement<[now: Date]>(
    "mails.prune-notices",
    `DELETE FROM notices WHERE (choice_id, kind, subject) IN (SELECT choice_id, kind, subject FROM notices
       WHERE at < $1::timestamptz - ${KEPT} ORDER BY at LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[now: Date]>(
    "mails.prune-choices",
    `DELETE FROM mail_choices WHERE created_at < $1 AND NOT EXISTS (SELECT 1 FROM store_members member
       WHERE member.store_id = mail_choices.store_id AND member.user_id = mail_choices.user_id)`,
  ),
];
