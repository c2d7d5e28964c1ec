import { awaitedUser, giveSecondFactor, logIn, type Entered } from "../../../commands/accounts/login";
import { logOut } from "../../../commands/accounts/end-sessions";
import { askForPasskey, logInByPasskey } from "../../../commands/accounts/passkeys";
import { askForReset, readUserLink, useUserLink } from "../../../commands/accounts/user-links";
import { DomainError } from "../../../domain/errors";
import { presentUser } from "./present";
import {
  codeBody,
  enteredAnswer,
  linkAnswer,
  linkBody,
  loginBody,
  nothing,
  passkeyBody,
  passkeyOptions,
  resetBody,
  useLinkBody,
} from "./request";
import { emptyBody, noQuery } from "../../http/schemas/text";
import type { LoginGate } from "../login-gate";
import { entryRoute } from "../entry-route";

/** Stores the session in the browser and returns the next step. */
function entered(door: LoginGate, session: Entered) {
  door.keep(session);
  if (session.stage === "full") {
    door.recognise(session.user.email);
    return { user: presentUser(session.user) };
  }
  const { totp, passkey } = session.factors;
  return { next: "second-factor", by: [...(totp ? ["code"] : []), ...(passkey ? ["passkey"] : [])] };
}

/** Records the reason, and answers only that it failed. */
function wrong(
  door: LoginGate,
  [event, account]: Parameters<LoginGate["refused"]>,
  detail: string,
): DomainError {
  door.refused(event, account);
  return new DomainError("invalid-credentials", detail);
}

const byPassword = [
  entryRoute({
    method: "post",
    path: "/login",
    query: noQuery,
    body: loginBody,
    success: 200,
    answer: enteredAnswer,
    async handle({ ctx, door, body: { email, password } }) {
      const forget = await door.countGuess(email);
      const session = await logIn(ctx, { email, password, origin: door.origin });
      if (session === null)
        throw wrong(door, ["login-failed", { email }], "The e-mail address or the password is wrong.");
      await forget();
      return entered(door, session);
    },
  }),
  entryRoute({
    method: "post",
    path: "/login/second-factor",
    query: noQuery,
    body: codeBody,
    success: 200,
    answer: enteredAnswer,
    async handle({ ctx, door, body: { code }, setHeader }) {
      const { token, origin } = door;
      const user = await awaitedUser(ctx, token);
      if (user === null) {
        setHeader("WWW-Authenticate", 'Session realm="quittance"');
        throw new DomainError("unauthenticated", "The login has expired. Enter your password again.");
      }
      const forget = await door.countCode(user);
      const session = await giveSecondFactor(ctx, { token, code, origin });
      if (session === null)
        throw wrong(
          door,
          ["code-failed", { userId: user.userId }],
          "The code is wrong or has already been used.",
        );
      await forget();
      return entered(door, session);
    },
  }),
];

const byPasskey = [
  entryRoute({
    method: "post",
    path: "/login/passkey/options",
    query: noQuery,
    body: emptyBody,
    success: 200,
    answer: passkeyOptions,
    async handle({ ctx }) {
      return { options: await askForPasskey(ctx) };
    },
  }),
  entryRoute({
    method: "post",
    path: "/login/passkey",
    query: noQuery,
    body: passkeyBody,
    success: 200,
    answer: enteredAnswer,
    async handle({ ctx, door, body: { response: answer } }) {
      const session = await logInByPasskey(ctx, { answer, origin: door.origin });
      if (session === null)
        throw wrong(
          door,
          ["passkey-failed", { credentialId: answer.id }],
          "Unknown passkey, or its response came too late. Try again.",
        );
      return entered(door, session);
    },
  }),
];

/** Tokens are sent in bodies: URLs are logged, here and by proxies. */
const byLink = [
  entryRoute({
    method: "post",
    path: "/links/read",
    query: noQuery,
    body: linkBody,
    success: 200,
    answer: linkAnswer,
    handle: ({ ctx, body: { token } }) => readUserLink(ctx, token),
  }),
  entryRoute({
    method: "post",
    path: "/links/use",
    query: noQuery,
    body: useLinkBody,
    success: 200,
    answer: enteredAnswer,
    async handle({ ctx, door, body }) {
      return entered(door, await useUserLink(ctx, { ...body, origin: door.origin }));
    },
  }),
  entryRoute({
    method: "post",
    path: "/password-reset",
    query: noQuery,
    body: resetBody,
    success: 202,
    answer: nothing,
    async handle({ ctx, door, body: { email } }) {
      // The answer does not wait for it: its duration would reveal whether the account exists.
      if (await door.mayMail(email))
        void askForReset(ctx, email).catch((err: unknown) =>
          ctx.log.error({ err }, "auth: password reset failed"),
        );
      return {};
    },
  }),
];

export const entryRoutes = [
  ...byPassword,
  ...byPasskey,
  ...byLink,
  entryRoute({
    method: "post",
    path: "/logout",
    noTry: true,
    query: noQuery,
    body: emptyBody,
    success: 204,
    answer: null,
    async handle({ ctx, door }) {
      if (door.token !== "") await logOut(ctx, door.token);
      door.clear();
    },
  }),
];
