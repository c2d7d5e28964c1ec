import {
  acceptInvitation,
  declineInvitation,
  listInvitations,
} from "../../../commands/accounts/store-invitations";
import { invitationList } from "../server/user-request";
import { emptyBody } from "../../http/schemas/text";
import { dashboardRoute } from "../route";

const INVITATIONS = "/account/invitations";

export const invitationRoutes = [
  dashboardRoute({
    method: "get",
    path: INVITATIONS,
    answer: invitationList,
    handle: async ({ ctx, user: { userId } }) => ({ data: await listInvitations(ctx, userId) }),
  }),
  dashboardRoute({
    method: "post",
    path: `${INVITATIONS}/:invitedTo/accept`,
    sudo: false,
    body: emptyBody,
    handle: ({ ctx, user: { userId }, params: { invitedTo: storeId } }) =>
      acceptInvitation(ctx, { storeId, userId }),
  }),
  dashboardRoute({
    method: "delete",
    path: `${INVITATIONS}/:invitedTo`,
    sudo: false,
    handle: ({ ctx, user: { userId }, params: { invitedTo: storeId } }) =>
      declineInvitation(ctx, { storeId, userId }),
  }),
];
