import type { z } from "zod";
import { changePassword } from "../../../commands/accounts/change-password";
import { owesSecondFactor } from "../../../commands/accounts/factors";
import { deleteOwnApiKey } from "../../../commands/stores/delete-api-key";
import { endOtherSessions, endSession } from "../../../commands/accounts/end-sessions";
import { askForPasskey, reauthenticateByPasskey } from "../../../commands/accounts/passkeys";
import { readAccount } from "../../../commands/accounts/read-account";
import { reauthenticate } from "../../../commands/accounts/reauthenticate";
import {
  confirmTotp,
  disableTotp,
  enrolTotp,
  renewRecoveryCodes,
} from "../../../commands/accounts/second-factor";
import { listSessions, type SessionUser } from "../../../commands/accounts/session";
import { voidUserLinks } from "../../../commands/accounts/user-links";
import { DomainError } from "../../../domain/errors";
import { mayCreateStores } from "../../../domain/account/store-creation";
import { deleteApiKeyQuery } from "../../api-keys/request";
import { presentAccount, presentSession, presentUser } from "./present";
import {
  accountAnswer,
  codeBody,
  passkeyOptions,
  passwordBody,
  proofBody,
  recoveryCodesAnswer,
  sessionAnswer,
  sessionsAnswer,
  totpAnswer,
} from "./request";
import { emptyBody } from "../../http/schemas/text";
import type { DashboardCaller } from "../authenticate-user";
import type { LoginGate } from "../login-gate";
import { dashboardRoute } from "../route";
import { passkeyRoutes } from "./passkey-routes";

function refused(gate: LoginGate, { userId }: SessionUser, detail: string): DomainError {
  gate.refused("proof-refused", { userId });
  return new DomainError("invalid-credentials", detail);
}

type ProofBody = z.output<typeof proofBody>;

/** A passkey cannot be guessed: no try. */
async function confirm(
  { ctx, user, gate }: Pick<DashboardCaller, "ctx" | "user" | "gate">,
  body: ProofBody,
): Promise<void> {
  const forget = "passkey" in body ? null : await gate.countProof(user);
  const session =
    "passkey" in body
      ? await reauthenticateByPasskey(ctx, user, body.passkey)
      : await reauthenticate(ctx, user, body);
  if (session === null) throw refused(gate, user, "The password, code or passkey is wrong.");
  await forget?.();
  gate.keep(session);
}

export const accountRoutes = [
  dashboardRoute({
    method: "get",
    path: "/session",
    answer: sessionAnswer,
    handle: async ({ ctx, user }) => ({
      user: presentUser(user),
      sudo: user.sudo,
      owesSecondFactor: await owesSecondFactor(ctx, user),
      mayCreateStores: mayCreateStores(user, ctx.settings.storeCreation),
    }),
  }),
  dashboardRoute({
    method: "post",
    path: "/session/reauthenticate",
    sudo: false,
    body: proofBody,
    async handle({ body, ...caller }) {
      try {
        await confirm(caller, body);
      } catch (error) {
        if (error instanceof DomainError && error.code === "validation-failed")
          caller.gate.refused("proof-refused", { userId: caller.user.userId });
        throw error;
      }
    },
  }),
  dashboardRoute({
    method: "post",
    path: "/session/passkey-options",
    sudo: false,
    body: emptyBody,
    answer: passkeyOptions,
    async handle({ ctx, user, gate }) {
      await gate.countQuestion(user);
      return { options: await askForPasskey(ctx) };
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/account/sessions",
    answer: sessionsAnswer,
    async handle({ ctx, user: { userId, sessionId } }) {
      const sessions = await listSessions(ctx, userId);
      return { data: sessions.map((session) => presentSession(session, sessionId)) };
    },
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/sessions",
    sudo: true,
    async handle({ ctx, user }) {
      await endOtherSessions(ctx, user);
    },
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/sessions/:sessionId",
    sudo: true,
    handle: ({ ctx, user: { userId }, params: { sessionId } }) => endSession(ctx, { userId, sessionId }),
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/links",
    sudo: true,
    async handle({ ctx, user: { userId } }) {
      await voidUserLinks(ctx, userId);
    },
  }),
  dashboardRoute({
    method: "get",
    path: "/account",
    answer: accountAnswer,
    handle: async ({ ctx, user: { userId } }) => presentAccount(await readAccount(ctx, userId)),
  }),
  dashboardRoute({
    method: "put",
    path: "/account/password",
    // The command checks it: the present password may be the proof.
    sudo: false,
    body: passwordBody,
    async handle({ ctx, user, gate, body }) {
      const forget = body.currentPassword === undefined ? null : await gate.countProof(user);
      const session = await changePassword(ctx, user, body);
      if (session === null) throw refused(gate, user, "The current password is wrong.");
      await forget?.();
      gate.keep(session);
    },
  }),
  dashboardRoute({
    method: "post",
    path: "/account/totp",
    sudo: true,
    body: emptyBody,
    answer: totpAnswer,
    handle: ({ ctx, user: { userId } }) => enrolTotp(ctx, userId),
  }),
  dashboardRoute({
    method: "post",
    path: "/account/totp/confirm",
    sudo: true,
    body: codeBody,
    answer: recoveryCodesAnswer,
    handle: async ({ ctx, user: { userId, sessionId }, body: { code } }) => ({
      recoveryCodes: await confirmTotp(ctx, userId, code, sessionId),
    }),
  }),
  dashboardRoute({
    method: "delete",
    path: "/account/totp",
    sudo: true,
    handle: ({ ctx, user: { userId } }) => disableTotp(ctx, userId),
  }),
  dashboardRoute({
    method: "post",
    path: "/account/recovery-codes",
    sudo: true,
    body: emptyBody,
    answer: recoveryCodesAnswer,
    handle: async ({ ctx, user: { userId } }) => ({ recoveryCodes: await renewRecoveryCodes(ctx, userId) }),
  }),
  ...passkeyRoutes,
  dashboardRoute({
    method: "delete",
    path: "/account/api-keys/:keyId",
    sudo: true,
    query: deleteApiKeyQuery,
    handle: ({ ctx, user: { userId }, params: { keyId }, query }) =>
      deleteOwnApiKey(ctx, { userId, keyId, ...query }),
  }),
];
