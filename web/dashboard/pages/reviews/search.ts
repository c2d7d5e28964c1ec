import { onlySet, wordOf } from "../../kit/search-values";

export interface ReviewSearch {
  state?: "resolved";
}

export const readReviewSearch = (search: Record<string, unknown>): ReviewSearch =>
  onlySet({ state: wordOf(search["state"], ["resolved"]) });
