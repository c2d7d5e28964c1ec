import type { EntityManager } from "typeorm";
import { DomainError, invalidField } from "../../domain/errors";
import type { Resolution } from "../../domain/invoice/review";
import { Review } from "../../entities/review";
import type { CommandContext } from "../context";
import { inTransaction, type Tx } from "../transaction";
import { lockInvoice, lockStore } from "../../database/rows";
import { notifyChanges } from "../server/notify-changes";
import { writeAudit } from "../server/write-audit";
import { readReview, reviewNotFound, type ReviewView } from "./list-reviews";
import { lookUpRefund, type Refund, type RefundFound } from "./look-up-refund";
import { sumRefunds } from "./queries";
import { refuseRecorded } from "./refuse-recorded";

export interface Resolving {
  resolution: Resolution;
  /** For `refunded`, and only for it. */
  refund?: Refund;
  note?: string;
  /** As the person saw it; default: all that has come. */
  receivedSats?: bigint;
}

/**
 * Records a decision that a person made; it changes no invoice and sends no money.
 * @throws DomainError `review-not-found`; `review-resolved`; `review-changed`; `refund-recorded`; `validation-failed`
 * at `/refund`.
 */
export async function resolveReview(
  ctx: CommandContext,
  storeId: string,
  reviewId: string,
  resolving: Resolving,
): Promise<ReviewView> {
  const { resolution, refund } = resolving;
  if (resolution === "refunded" && refund === undefined)
    throw invalidField("/refund", "Must have the refund's type, reference and amount.");
  if (resolution !== "refunded" && refund !== undefined)
    throw invalidField("/refund", "Only a review that is resolved as refunded has one.");
  const { invoice } = await readReview(ctx, storeId, reviewId);
  const found = refund && (await lookUpRefund(ctx, refund, invoice.refundAddress));
  await inTransaction(ctx, async (tx) => {
    const { manager } = tx;
    if (refund !== undefined) await lockStore(manager, storeId); // another review may record the same one
    const { paidSats } = await lockInvoice(manager, invoice.id);
    const review = await manager.findOneBy(Review, { id: reviewId, storeId });
    if (review === null) throw reviewNotFound(); // it was withdrawn meanwhile
    refuseOutdated(review, resolving);
    if (refund !== undefined && found !== undefined) {
      await refuseTooLarge(manager, invoice.id, { refund, paidSats });
      await refuseRecorded(tx, storeId, { refund, address: invoice.refundAddress, found });
    }
    await writeResolved(tx, { review, resolving, found });
  });
  return readReview(ctx, storeId, reviewId);
}

function refuseOutdated(review: Review, { receivedSats = review.receivedSats }: Resolving): void {
  if (review.resolution !== null)
    throw new DomainError("review-resolved", `The review is already resolved as ${review.resolution}.`);
  if (receivedSats !== review.receivedSats)
    throw new DomainError(
      "review-changed",
      `${review.receivedSats} sats have come by now, not ${receivedSats}. Read the review again.`,
    );
}

async function refuseTooLarge(
  manager: EntityManager,
  invoiceId: string,
  { refund, paidSats }: { refund: Refund; paidSats: bigint },
): Promise<void> {
  const { rows } = await sumRefunds(manager, invoiceId);
  const left = paidSats - BigInt(rows[0]?.sats ?? 0);
  if (refund.amountSats > left)
    throw invalidField(
      "/refund/amountSats",
      `Must be at most ${left < 0n ? 0n : left}: what came, less what was refunded before.`,
    );
}

async function writeResolved(
  tx: Tx,
  { review, resolving, found }: { review: Review; resolving: Resolving; found: RefundFound | undefined },
): Promise<void> {
  const { id, storeId, invoiceId } = review;
  const { resolution, refund, note = null } = resolving;
  const at = await tx.now();
  await tx.manager.update(Review, id, {
    resolution,
    note,
    resolvedAt: at,
    ...(refund && {
      refundType: refund.type,
      refundReference: refund.reference,
      refundSats: refund.amountSats,
      refundCheckedAt: at,
    }),
    ...found?.seen,
  });
  const details = { resolution, invoiceId, ...(refund && { refundSats: refund.amountSats.toString() }) };
  await writeAudit(tx, { action: "review.resolved", storeId, subject: id, details });
  tx.after(notifyChanges, [{ topic: "invoices", storeId, invoiceId }]);
}

/**
 * Asks the node again about the refund's transaction. Once in a block it is not forgotten when its outputs are spent.
 * @throws DomainError `review-not-found`.
 */
export async function checkRefund(
  ctx: CommandContext,
  storeId: string,
  reviewId: string,
): Promise<ReviewView> {
  const { review, invoice } = await readReview(ctx, storeId, reviewId);
  const { refundType: type, refundReference: reference, refundSats: amountSats } = review;
  if (type === null || reference === null || amountSats === null) return { review, invoice };
  const { seen } = await lookUpRefund(ctx, { type, reference, amountSats }, invoice.refundAddress);
  const spent = review.refundState === "confirmed" && seen.refundState === "not-found";
  if (!spent && seen.refundState !== "unchecked") {
    const { manager } = ctx.db;
    await manager.update(Review, reviewId, {
      refundState: seen.refundState,
      ...(seen.refundPaidSats && seen),
      refundCheckedAt: await ctx.now(manager),
    });
  }
  return readReview(ctx, storeId, reviewId);
}
