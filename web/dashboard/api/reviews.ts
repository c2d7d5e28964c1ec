import type { reviewAnswer } from "../../../api/reviews/answer";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

export type Review = Answer<typeof reviewAnswer>;

export const reviewsPath = (storeId: string): string => `/stores/${storeId}/reviews`;
export const reviewPath = (storeId: string, { reviewId }: Review): string =>
  `${reviewsPath(storeId)}/${encodeURIComponent(reviewId)}`;

export const openReviews = (storeId: string) => apiQuery<{ open: number }>(`${reviewsPath(storeId)}/count`);

/** For a badge. */
export const shownCount = (count: number): string => (count > 99 ? "99+" : String(count));
