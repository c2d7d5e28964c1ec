import {
  acceptInvitation,
  declineInvitation,
  listInvitations,
} from "../../../commands/stores/store-invitations";
import { invitationList } from "../server/user-request";
import { emptyBody, noQuery } from "../../http/schemas/text";
import { dashboardRoute } from "../route";

const INVITATIONS = "/account/invitations";

/** The user's invitations to stores. */
export const invitationRoutes = [
  dashboardRoute({
    method: "get",
    path: INVITATIONS,
    query: noQuery,
    body: null,
    success: 200,
    answer: invitationList,
    handle: async ({ ctx, user: { userId } }) => ({ data: await listInvitations(ctx, userId) }),
  }),
  dashboardRoute({
    method: "post",
    path: `${INVITATIONS}/:invitedTo/accept`,
    sudo: false,
    query: noQuery,
    body: emptyBody,
    success: 204,
    answer: null,
    handle: ({ ctx, user: { userId }, params: { invitedTo: storeId } }) =>
      acceptInvitation(ctx, { storeId, userId }),
  }),
  dashboardRoute({
    method: "delete",
    path: `${INVITATIONS}/:invitedTo`,
    sudo: false,
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    handle: ({ ctx, user: { userId }, params: { invitedTo: storeId } }) =>
      declineInvitation(ctx, { storeId, userId }),
  }),
];
