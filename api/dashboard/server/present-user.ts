import type { UserView } from "../../../commands/accounts/list-users";

export function presentListedUser({ user, hasPasskey, stores, made }: UserView) {
  const { id: userId, email, admin, createdAt } = user;
  return {
    userId,
    email,
    admin,
    disabled: user.disabledAt !== null,
    pending: user.passwordHash === null,
    totp: user.totpConfirmedAt !== null,
    hasPasskey,
    stores,
    made,
    createdAt,
  };
}
