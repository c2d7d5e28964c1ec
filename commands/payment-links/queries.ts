import { statement } from "../../database/statement";

/** Open and paid invoices of each link that has some. Read only for links with a limit. */
export const countUses = statement<[linkIds: readonly string[]], { linkId: string; uses: number }>(
  "payment-links.count-uses",
  `SELECT payment_link_id AS "linkId", count(*)::int AS uses FROM invoices
    WHERE payment_link_id = ANY($1::text[]) AND status NOT IN ('Expired', 'Invalid')
    GROUP BY payment_link_id`,
  "each time",
);
