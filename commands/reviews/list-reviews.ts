import { In } from "typeorm";
import { DomainError } from "../../domain/errors";
import { Invoice } from "../../entities/invoice";
import { Review } from "../../entities/review";
import type { CommandContext } from "../context";
import { type Page, type PageRequest, readPage } from "../../database/pagination";
import { countOpen } from "./queries";

export const REVIEW_STATES = ["open", "resolved"] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** Not its metadata, which may be large. */
const SHOWN = {
  ...{ id: true, orderId: true, status: true, additionalStatus: true, amount: true, currency: true },
  ...{ dueSats: true, confirmedSats: true, refundAddress: true, rate: true },
} as const;

export interface ReviewView {
  review: Review;
  invoice: Pick<Invoice, keyof typeof SHOWN>;
}

/** Open ones oldest first, resolved ones newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listReviews(
  ctx: CommandContext,
  storeId: string,
  state: ReviewState,
  page: PageRequest,
): Promise<Page<ReviewView>> {
  const open = state === "open";
  const query = ctx.db
    .createQueryBuilder(Review, "review")
    .where("review.storeId = :storeId", { storeId })
    .andWhere(`review.resolvedAt IS ${open ? "NULL" : "NOT NULL"}`);
  const { items, nextCursor } = await readPage(query, { ...page, oldestFirst: open });
  const invoiceIds = [...new Set(items.map(({ invoiceId }) => invoiceId))];
  const invoices = await ctx.db.manager.find(Invoice, { select: SHOWN, where: { id: In(invoiceIds) } });
  const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  return {
    items: items.flatMap((review) => {
      const invoice = byId.get(review.invoiceId);
      return invoice === undefined ? [] : [{ review, invoice }];
    }),
    nextCursor,
  };
}

/** COUNTED_MAX stands for that and more. */
export const countOpenReviews = async ({ db }: CommandContext, storeId: string): Promise<number> =>
  (await countOpen(db.manager, storeId)).rows[0]?.count ?? 0;

/** @throws DomainError `review-not-found`, also for one of another store. */
export async function readReview(
  ctx: CommandContext,
  storeId: string,
  reviewId: string,
): Promise<ReviewView> {
  const { manager } = ctx.db;
  const review = await manager.findOneBy(Review, { id: reviewId, storeId });
  if (review === null) throw reviewNotFound();
  return {
    review,
    invoice: await manager.findOneOrFail(Invoice, { select: SHOWN, where: { id: review.invoiceId } }),
  };
}

export const reviewNotFound = (): DomainError =>
  new DomainError("review-not-found", "Review not found in this store.");
