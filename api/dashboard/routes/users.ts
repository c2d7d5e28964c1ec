import { changeUser } from "../../../commands/change-user";
import { createUser } from "../../../commands/create-user";
import { listUsers, viewUser } from "../../../commands/list-users";
import { resetUser } from "../../../commands/user-links";
import { presentPage } from "../../presenters/page";
import { presentListedUser } from "../../presenters/user";
import { changeUserBody, createUserBody, madeLink, userAnswer, userPage } from "../../schemas/dashboard/user";
import { pageQuery } from "../../schemas/page";
import { emptyBody, noQuery } from "../../schemas/text";
import { dashboardRoute } from "../route";

const USERS = "/admin/users";

/** All who have an account on this server. The links in the answers are shown once. */
export const userRoutes = [
  dashboardRoute({
    method: "get",
    path: USERS,
    admin: true,
    query: pageQuery,
    body: null,
    success: 200,
    answer: userPage,
    handle: async ({ ctx, query }) => presentPage(await listUsers(ctx, query), presentListedUser),
  }),
  dashboardRoute({
    method: "post",
    path: USERS,
    admin: true,
    sudo: true,
    query: noQuery,
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
    query: noQuery,
    body: changeUserBody,
    success: 200,
    answer: userAnswer,
    handle: async ({ ctx, params: { userId }, body }) =>
      presentListedUser(await viewUser(ctx, await changeUser(ctx, userId, body))),
  }),
  dashboardRoute({
    method: "post",
    path: `${USERS}/:userId/reset`,
    admin: true,
    sudo: true,
    query: noQuery,
    body: emptyBody,
    success: 201,
    answer: madeLink,
    handle: ({ ctx, params: { userId } }) => resetUser(ctx, userId),
  }),
];
