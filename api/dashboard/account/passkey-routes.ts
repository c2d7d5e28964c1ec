import {
  addPasskey,
  askToAddPasskey,
  deletePasskey,
  renamePasskey,
} from "../../../commands/accounts/passkeys";
import { presentPasskey } from "./present";
import { addPasskeyBody, passkeyAnswer, passkeyOptions, renamePasskeyBody } from "./request";
import { emptyBody } from "../../http/schemas/text";
import { dashboardRoute } from "../route";

export const passkeyRoutes = [
  dashboardRoute({
    method: "post",
    path: "/account/passkeys/options",
    sudo: true,
    body: emptyBody,
    answer: passkeyOptions,
    handle: async ({ ctx, user }) => ({ options: await askToAddPasskey(ctx, user) }),
  }),
  dashboardRoute({
    method: "post",
    path: "/account/passkeys",
    sudo: true,
    body: addPasskeyBody,
    success: 201,
    answer: passkeyAnswer,
    handle: async ({ ctx, user, body: { name, response: answer } }) =>
      presentPasskey(await addPasskey(ctx, user, { name, answer })),
  }),
  dashboardRoute({
    method: "patch",
    path: "/account/passkeys/:passkeyId",
    sudo: true,
    body: renamePasskeyBody,
    answer: passkeyAnswer,
    handle: async ({ ctx, user: { userId }, params: { passkeyId: id }, body: { name } }) =>
      presentPasskey(await renamePasskey(ctx, userId, { id, name })),
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/passkeys/:passkeyId",
    sudo: true,
    handle: ({ ctx, user: { userId }, params: { passkeyId } }) => deletePasskey(ctx, userId, passkeyId),
  }),
];
