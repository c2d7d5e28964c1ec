import type { reviewAnswer } from "../../../api/reviews/answer";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

export type Review = Answer<typeof reviewAnswer>;

export const reviewsPath = (storeId: string): string => `/stores/${storeId}/reviews`;
export const reviewPath = (storeId: string, { reviewId }: Review): string =>
  `${reviewsPath(storeId)}/${encodeURIComponent(reviewId)}`;

const COUNTED = 100;

/** For a badge: of more than 99 only that. */
export const openReviews = (storeId: string) => ({
  ...apiQuery<{ data: Review[] }>(reviewsPath(storeId), { limit: COUNTED }),
  select: ({ data }: { data: Review[] }) => data.length,
});

export const shownCount = (count: number): string => (count >= COUNTED ? "99+" : String(count));
