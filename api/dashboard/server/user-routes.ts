import { changeUser } from "../../../commands/accounts/change-user";
import { createUser } from "../../../commands/accounts/create-user";
import { listUsers, type UserView, viewUser } from "../../../commands/accounts/list-users";
import { resetUser } from "../../../commands/accounts/user-links";
import { presentPage } from "../../http/present-page";
import { presenter } from "../../http/presenter";
import {
  changeUserBody,
  createUserBody,
  handedLink,
  madeLink,
  resetUserBody,
  userAnswer,
  userPage,
} from "./user-request";
import { pageQuery } from "../../http/schemas/page";
import { dashboardRoute } from "../route";

const USERS = "/admin/users";

/** Links in the answers are shown once. */
export const userRoutes = [
  dashboardRoute({
    method: "get",
    path: USERS,
    admin: true,
    query: pageQuery,
    answer: userPage,
    handle: async ({ ctx, query }) => presentPage(await listUsers(ctx, query), presentUser),
  }),
  dashboardRoute({
    method: "post",
    path: USERS,
    admin: true,
    sudo: true,
    body: createUserBody,
    success: 201,
    answer: madeLink,
    handle: ({ ctx, body }) => createUser(ctx, body),
  }),
  dashboardRoute({
    method: "patch",
    path: `${USERS}/:userId`,
    admin: true,
    sudo: true,
    body: changeUserBody,
    answer: userAnswer,
    handle: async ({ ctx, params: { userId }, body }) =>
      presentUser(await viewUser(ctx, await changeUser(ctx, userId, body))),
  }),
  dashboardRoute({
    method: "post",
    path: `${USERS}/:userId/reset`,
    admin: true,
    sudo: true,
    body: resetUserBody,
    success: 201,
    answer: handedLink,
    handle: ({ ctx, params: { userId }, body }) => resetUser(ctx, userId, body),
  }),
];

const shown = presenter(userAnswer);

function presentUser({ user, ...counts }: UserView) {
  return shown(user, {
    ...counts,
    userId: user.id,
    disabled: user.disabledAt !== null,
    pending: user.passwordHash === null,
    totp: user.totpConfirmedAt !== null,
  });
}
