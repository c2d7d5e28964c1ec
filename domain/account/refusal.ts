export const REFUSAL_EVENTS = [
  "login-failed",
  "code-failed",
  "passkey-failed",
  "proof-refused",
  "key-refused",
  "locked-out",
] as const;
export type RefusalEvent = (typeof REFUSAL_EVENTS)[number];
