import { In, IsNull, Not } from "typeorm";
import { Alert } from "../entities/alert";
import type { CommandContext } from "./context";
import { raiseAlert, resolveAlert } from "./raise-alert";

/** What wallets look ahead by default when they are restored (BIP 44, "Address gap limit"). */
const GAP_LIMIT = 20;

interface Gap {
  derivationId: string;
  /** A store that uses it. */
  storeId: string;
}

/**
 * Alerts of wallets of which more addresses in a row than the gap limit were given out and not paid: a payment to the
 * next may be invisible in the merchant's wallet (never to us). Ends the alerts of those that were paid since. Of each
 * wallet the last addresses alone are looked at. Answers how many such wallets there are.
 */
export async function watchGapLimits(ctx: CommandContext): Promise<number> {
  const gaps = await ctx.db.query<Gap[]>(
    `SELECT method.derivation_id AS "derivationId", min(method.store_id) AS "storeId"
       FROM store_payment_methods method
       CROSS JOIN LATERAL (
         SELECT count(*) AS given, count(*) FILTER (WHERE EXISTS (
                  SELECT 1 FROM payments WHERE payments.invoice_id = latest.invoice_id AND payments.txid IS NOT NULL
                )) AS paid
           FROM (SELECT invoice_id FROM watched_scripts script WHERE script.derivation_id = method.derivation_id
                  ORDER BY script.address_index DESC LIMIT ${GAP_LIMIT + 1}) AS latest) AS row
      WHERE row.given > ${GAP_LIMIT} AND row.paid = 0
      GROUP BY method.derivation_id`,
  );
  const { manager } = ctx.db;
  for (const { derivationId, storeId } of gaps)
    await raiseAlert(manager, ctx, {
      kind: "gap-limit",
      severity: "warning",
      subject: derivationId,
      storeId,
      message: `The last ${GAP_LIMIT + 1} addresses of this store's wallet were not paid. A wallet looks ${GAP_LIMIT} addresses ahead by default: raise its gap limit, or it may not show a payment that comes to a later one.`,
    });
  const over = await manager.findBy(Alert, {
    kind: "gap-limit",
    resolvedAt: IsNull(),
    subject: Not(In(gaps.map(({ derivationId }) => derivationId))),
  });
  for (const { subject } of over) await resolveAlert(manager, ctx, "gap-limit", subject);
  return gaps.length;
}
