import { awaitedUser, giveSecondFactor, logIn, type Entered } from "../../../commands/login";
import { logOut } from "../../../commands/end-sessions";
import { askForPasskey, logInByPasskey } from "../../../commands/passkeys";
import { askForReset, readUserLink, useUserLink } from "../../../commands/user-links";
import { DomainError } from "../../../domain/errors";
import { presentUser } from "../../presenters/account";
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
} from "../../schemas/dashboard/account";
import { emptyBody, noQuery } from "../../schemas/text";
import type { Door } from "../door";
import { entryRoute } from "../entry-route";

/** Keeps the session in the browser and says what comes next. */
function entered(door: Door, session: Entered) {
  door.keep(session);
  return session.stage === "full" ? { user: presentUser(session.user) } : { next: "second-factor" };
}

function wrong(detail: string): DomainError {
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
      if (session === null) throw wrong("The address or the password is not right.");
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
      const userId = await awaitedUser(ctx, token);
      if (userId === null) {
        setHeader("WWW-Authenticate", 'Session realm="quittance"');
        throw new DomainError("unauthenticated", "Begin with your password again.");
      }
      const forget = await door.countCode(userId);
      const session = await giveSecondFactor(ctx, { token, code, origin });
      if (session === null) throw wrong("The code is not right, or was used before.");
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
    async handle({ ctx, door }) {
      await door.countTry();
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
      await door.countTry();
      const session = await logInByPasskey(ctx, { answer, origin: door.origin });
      if (session === null) throw wrong("This passkey is not known here, or its answer came too late.");
      return entered(door, session);
    },
  }),
];

/** Tokens stand in bodies: addresses are logged, here and by proxies. */
const byLink = [
  entryRoute({
    method: "post",
    path: "/links/read",
    query: noQuery,
    body: linkBody,
    success: 200,
    answer: linkAnswer,
    async handle({ ctx, door, body: { token } }) {
      await door.countTry();
      return readUserLink(ctx, token);
    },
  }),
  entryRoute({
    method: "post",
    path: "/links/use",
    query: noQuery,
    body: useLinkBody,
    success: 200,
    answer: enteredAnswer,
    async handle({ ctx, door, body }) {
      await door.countTry();
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
      await door.countTry();
      // The answer neither waits for it nor tells of it: how long it takes would say who is here.
      if (await door.mayMail(email))
        void askForReset(ctx, email).catch((err: unknown) =>
          ctx.log.error({ err }, "a link for another password could not be made"),
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
