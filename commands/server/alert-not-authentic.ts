import { IsNull } from "typeorm";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { Alert } from "../../entities/alert";
import type { CommandContext } from "../context";
import { raiseAlert } from "./raise-alert";
import { inTransaction } from "../transaction";

const KIND = "destination-not-authentic";
const WHAT_TO_DO =
  "Something other than this service wrote to the database, or it was restored or damaged. Find out who, and run doctor.";

export interface NotAuthentic {
  storeId: string;
  /** A destination, the store's wallet, or an answer for an `Idempotency-Key`. */
  what: { id: string; type: PaymentMethodType } | "wallet" | "answer";
}

/** A single open alert per store and kind of place. Never fails its reader: what was found is not shown in any case. */
export async function alertNotAuthentic(ctx: CommandContext, found: readonly NotAuthentic[]): Promise<void> {
  for (const one of found) await alertOf(ctx, one);
}

async function alertOf(ctx: CommandContext, { storeId, what }: NotAuthentic): Promise<void> {
  const invoice = typeof what === "string" ? null : what;
  const subject = typeof what === "string" ? `${storeId}:${what}` : storeId;
  ctx.log.error(
    { storeId, what: invoice?.type ?? what, invoiceId: invoice?.id ?? null },
    "destination: not authentic",
  );
  try {
    if (await ctx.db.manager.existsBy(Alert, { kind: KIND, subject, resolvedAt: IsNull() })) return;
    await inTransaction(ctx, (tx) =>
      raiseAlert(tx, {
        kind: KIND,
        severity: "critical",
        subject,
        storeId,
        ...(invoice === null ? {} : { invoiceId: invoice.id }),
        message: `${messageOf(what)} ${WHAT_TO_DO}`,
      }),
    );
  } catch (error) {
    // The next read finds it again, as does the daily report.
    ctx.log.warn({ err: error, storeId }, "destination: alert failed");
  }
}

function messageOf(what: NotAuthentic["what"]): string {
  if (what === "answer")
    return "A response stored for an Idempotency-Key is not the one that this service wrote. It is not returned.";
  if (what === "wallet")
    return "The store's wallet in the database is not the one that was set in this service. No address is derived from it. Set the wallet again, and compare the first addresses with those that your own wallet shows.";
  const name = what.type === "BTC-LN" ? "BOLT11" : "address";
  return `The ${name} of invoice ${what.id} in the database is not the one that this service wrote. It is not shown. Other invoices may be affected as well.`;
}
