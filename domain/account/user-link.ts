/**
 * `setup`: the first password. `invitation`: the same, for a user invited to a store. `reset`: another password.
 * `login`: logs in without any.
 */
export const USER_LINK_KINDS = ["setup", "invitation", "reset", "login"] as const;
export type UserLinkKind = (typeof USER_LINK_KINDS)[number];

/** An invitation waits until its mail is read; the others were requested just now. */
export const LINK_VALID_MINUTES: Readonly<Record<UserLinkKind, number>> = {
  setup: 15,
  invitation: 7 * 24 * 60,
  reset: 30,
  login: 15,
};

export function linkSetsPassword(kind: UserLinkKind): boolean {
  return kind !== "login";
}

/** Therefore invalid once the user has a password. */
export function isForFirstPassword(kind: UserLinkKind): boolean {
  return kind === "setup" || kind === "invitation";
}

/** The token is in the part that browsers send to no server: proxies log what is before it. */
export function userLinkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/setup#${token}`;
}
