import {
  addStoreMember,
  changeStoreMember,
  listStoreMembers,
  removeStoreMember,
} from "../../../commands/accounts/store-members";
import {
  addedMember,
  addMemberBody,
  changeMemberBody,
  memberList,
  memberAnswer,
  removeMemberQuery,
} from "../server/user-request";
import { dashboardRoute } from "../route";

const MEMBERS = "/stores/:storeId/members";

export const memberRoutes = [
  dashboardRoute({
    method: "get",
    path: MEMBERS,
    role: "owner",
    answer: memberList,
    handle: async ({ ctx, params: { storeId } }) => ({ data: await listStoreMembers(ctx, storeId) }),
  }),
  dashboardRoute({
    method: "post",
    path: MEMBERS,
    role: "owner",
    sudo: true,
    body: addMemberBody,
    success: 201,
    answer: addedMember,
    handle: async ({ ctx, user, gate, params: { storeId }, body }) => {
      await gate.countInvitation(user.userId);
      return addStoreMember(ctx, { storeId, ...body });
    },
  }),
  dashboardRoute({
    method: "patch",
    path: `${MEMBERS}/:userId`,
    role: "owner",
    sudo: true,
    body: changeMemberBody,
    answer: memberAnswer,
    handle: ({ ctx, params, body }) => changeStoreMember(ctx, { ...params, ...body }),
  }),
  dashboardRoute({
    method: "delete",
    path: `${MEMBERS}/:userId`,
    role: "owner",
    sudo: true,
    query: removeMemberQuery,
    handle: ({ ctx, params, query }) => removeStoreMember(ctx, { ...params, ...query }),
  }),
];
