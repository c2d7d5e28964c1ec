export const STORE_LIGHTNING = ["everyone", "admins", "off"] as const;
export type StoreLightning = (typeof STORE_LIGHTNING)[number];
