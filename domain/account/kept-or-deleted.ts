/** For the API keys and webhooks that somebody made, when their rights, or their key, end. */
export const KEPT_OR_DELETED = ["keep", "delete"] as const;
export type KeptOrDeleted = (typeof KEPT_OR_DELETED)[number];
