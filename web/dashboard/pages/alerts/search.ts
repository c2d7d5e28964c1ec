import { onlySet, wordOf } from "../../kit/search-values";

export interface AlertSearch {
  state?: "resolved";
}

export const readAlertSearch = (search: Record<string, unknown>): AlertSearch =>
  onlySet({ state: wordOf(search["state"], ["resolved"]) });
