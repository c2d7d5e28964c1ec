import { changePassword } from "../../../commands/change-password";
import { endOtherSessions, endSession } from "../../../commands/end-sessions";
import {
  addPasskey,
  askToAddPasskey,
  deletePasskey,
  reauthenticateByPasskey,
  renamePasskey,
} from "../../../commands/passkeys";
import { readAccount } from "../../../commands/read-account";
import { reauthenticate } from "../../../commands/reauthenticate";
import { confirmTotp, disableTotp, enrolTotp, renewRecoveryCodes } from "../../../commands/second-factor";
import { listSessions } from "../../../commands/session";
import { DomainError } from "../../../domain/errors";
import { presentAccount, presentPasskey, presentSession, presentUser } from "../../presenters/account";
import {
  accountAnswer,
  addPasskeyBody,
  codeBody,
  passkeyAnswer,
  passkeyOptions,
  passwordBody,
  proofBody,
  recoveryCodesAnswer,
  renamePasskeyBody,
  sessionAnswer,
  sessionsAnswer,
  totpAnswer,
} from "../../schemas/dashboard/account";
import { emptyBody, noQuery } from "../../schemas/text";
import { dashboardRoute } from "../route";

function wrong(detail: string): DomainError {
  return new DomainError("invalid-credentials", detail);
}

const sessionRoutes = [
  dashboardRoute({
    method: "get",
    path: "/session",
    query: noQuery,
    body: null,
    success: 200,
    answer: sessionAnswer,
    handle: ({ user }) => Promise.resolve({ user: presentUser(user), sudo: user.sudo }),
  }),
  dashboardRoute({
    method: "post",
    path: "/session/reauthenticate",
    query: noQuery,
    body: proofBody,
    success: 204,
    answer: null,
    async handle({ ctx, user, door, body }) {
      const forget =
        "password" in body ? await door.countGuess(user.email) : await door.countCode(user.userId);
      const session =
        "passkey" in body
          ? await reauthenticateByPasskey(ctx, user, body.passkey)
          : await reauthenticate(ctx, user, body);
      if (session === null) throw wrong("That is not right.");
      await forget();
      door.keep(session);
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/account/sessions",
    query: noQuery,
    body: null,
    success: 200,
    answer: sessionsAnswer,
    async handle({ ctx, user: { userId, sessionId } }) {
      const sessions = await listSessions(ctx, userId);
      return { data: sessions.map((session) => presentSession(session, sessionId)) };
    },
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/sessions",
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    async handle({ ctx, user }) {
      await endOtherSessions(ctx, user);
    },
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/sessions/:sessionId",
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    handle: ({ ctx, user: { userId }, params: { sessionId } }) => endSession(ctx, { userId, sessionId }),
  }),
];

const passwordRoutes = [
  dashboardRoute({
    method: "get",
    path: "/account",
    query: noQuery,
    body: null,
    success: 200,
    answer: accountAnswer,
    handle: async ({ ctx, user: { userId } }) => presentAccount(await readAccount(ctx, userId)),
  }),
  dashboardRoute({
    method: "put",
    path: "/account/password",
    query: noQuery,
    body: passwordBody,
    success: 204,
    answer: null,
    async handle({ ctx, user, door, body }) {
      const forget = body.currentPassword === undefined ? null : await door.countGuess(user.email);
      const session = await changePassword(ctx, user, body);
      if (session === null) throw wrong("The present password is not right.");
      await forget?.();
      door.keep(session);
    },
  }),
];

const totpRoutes = [
  dashboardRoute({
    method: "post",
    path: "/account/totp",
    sudo: true,
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: totpAnswer,
    handle: ({ ctx, user: { userId } }) => enrolTotp(ctx, userId),
  }),
  dashboardRoute({
    method: "post",
    path: "/account/totp/confirm",
    sudo: true,
    query: noQuery,
    body: codeBody,
    success: 200,
    answer: recoveryCodesAnswer,
    handle: async ({ ctx, user: { userId }, body: { code } }) => ({
      recoveryCodes: await confirmTotp(ctx, userId, code),
    }),
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/totp",
    sudo: true,
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    handle: ({ ctx, user: { userId } }) => disableTotp(ctx, userId),
  }),
  dashboardRoute({
    method: "post",
    path: "/account/recovery-codes",
    sudo: true,
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: recoveryCodesAnswer,
    handle: async ({ ctx, user: { userId } }) => ({ recoveryCodes: await renewRecoveryCodes(ctx, userId) }),
  }),
];

const passkeyRoutes = [
  dashboardRoute({
    method: "post",
    path: "/account/passkeys/options",
    sudo: true,
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: passkeyOptions,
    handle: async ({ ctx, user }) => ({ options: await askToAddPasskey(ctx, user) }),
  }),
  dashboardRoute({
    method: "post",
    path: "/account/passkeys",
    sudo: true,
    query: noQuery,
    body: addPasskeyBody,
    success: 201,
    answer: passkeyAnswer,
    handle: async ({ ctx, user, body: { name, response: answer } }) =>
      presentPasskey(await addPasskey(ctx, user, { name, answer })),
  }),
  dashboardRoute({
    method: "patch",
    path: "/account/passkeys/:passkeyId",
    query: noQuery,
    body: renamePasskeyBody,
    success: 200,
    answer: passkeyAnswer,
    handle: async ({ ctx, user: { userId }, params: { passkeyId: id }, body: { name } }) =>
      presentPasskey(await renamePasskey(ctx, userId, { id, name })),
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/passkeys/:passkeyId",
    sudo: true,
    query: noQuery,
    body: null,
    success: 204,
    answer: null,
    handle: ({ ctx, user: { userId }, params: { passkeyId } }) => deletePasskey(ctx, userId, passkeyId),
  }),
];

/** One's own account: what a user does with it needs no role. */
export const accountRoutes = [...sessionRoutes, ...passwordRoutes, ...totpRoutes, ...passkeyRoutes];
