import { awaitedUser, giveSecondFactor, logIn, type LoginSession } from "../../../commands/accounts/login";
import { logOut } from "../../../commands/accounts/end-sessions";
import { askForPasskey, logInByPasskey } from "../../../commands/accounts/passkeys";
import { askForReset, readUserLink, useUserLink } from "../../../commands/accounts/user-links";
import { unsubscribe } from "../../../commands/mails/choose-mails";
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
import { emptyBody } from "../../http/schemas/text";
import type { LoginGate } from "../login-gate";
import { entryRoute } from "../entry-route";

function entered(gate: LoginGate, session: LoginSession) {
  gate.keep(session);
  if (session.stage === "full") {
    gate.recognise(session.user.email);
    return { user: presentUser(session.user) };
  }
  const { totp, passkey } = session.factors;
  return { next: "second-factor", by: [...(totp ? ["code"] : []), ...(passkey ? ["passkey"] : [])] };
}

function wrong(
  gate: LoginGate,
  [event, account]: Parameters<LoginGate["refused"]>,
  detail: string,
): DomainError {
  gate.refused(event, account);
  return new DomainError("invalid-credentials", detail);
}

/** A password, a passkey's answer or a link's token; still anonymous. */
const BODY_MAX_BYTES = 16 * 1024;

export const entryRoutes = [
  entryRoute({
    method: "post",
    path: "/login",
    body: loginBody,
    answer: enteredAnswer,
    async handle({ ctx, gate, body: { email, password } }) {
      const forget = await gate.countGuess(email);
      const session = await logIn(ctx, { email, password, origin: gate.origin });
      if (session === null)
        throw wrong(gate, ["login-failed", { email }], "The e-mail address or the password is wrong.");
      await forget();
      return entered(gate, session);
    },
  }),
  entryRoute({
    method: "post",
    path: "/login/second-factor",
    body: codeBody,
    answer: enteredAnswer,
    async handle({ ctx, gate, body: { code }, setHeader }) {
      const { token, origin } = gate;
      const user = await awaitedUser(ctx, token);
      if (user === null) {
        setHeader("WWW-Authenticate", 'Session realm="quittance"');
        throw new DomainError("unauthenticated", "The login has expired. Enter your password again.");
      }
      const forget = await gate.countCode(user);
      const session = await giveSecondFactor(ctx, { token, code, origin });
      if (session === null)
        throw wrong(
          gate,
          ["code-failed", { userId: user.userId }],
          "The code is wrong or has already been used.",
        );
      await forget();
      return entered(gate, session);
    },
  }),
  entryRoute({
    method: "post",
    path: "/login/passkey/options",
    body: emptyBody,
    answer: passkeyOptions,
    async handle({ ctx }) {
      return { options: await askForPasskey(ctx) };
    },
  }),
  entryRoute({
    method: "post",
    path: "/login/passkey",
    body: passkeyBody,
    answer: enteredAnswer,
    async handle({ ctx, gate, body: { response: answer } }) {
      const session = await logInByPasskey(ctx, { answer, origin: gate.origin });
      if (session === null)
        throw wrong(
          gate,
          ["passkey-failed", { credentialId: answer.id }],
          "Unknown passkey, or its response came too late. Try again.",
        );
      return entered(gate, session);
    },
  }),
  // Tokens are sent in bodies: URLs are logged, here and by proxies.
  entryRoute({
    method: "post",
    path: "/links/read",
    body: linkBody,
    answer: linkAnswer,
    handle: ({ ctx, body: { token } }) => readUserLink(ctx, token),
  }),
  entryRoute({
    method: "post",
    path: "/links/use",
    body: useLinkBody,
    answer: enteredAnswer,
    async handle({ ctx, gate, body }) {
      return entered(gate, await useUserLink(ctx, { ...body, origin: gate.origin }));
    },
  }),
  entryRoute({
    method: "post",
    path: "/mails/unsubscribe",
    body: linkBody,
    handle: ({ ctx, body: { token } }) => unsubscribe(ctx, token),
  }),
  entryRoute({
    method: "post",
    path: "/password-reset",
    body: resetBody,
    success: 202,
    answer: nothing,
    async handle({ ctx, gate, body: { email } }) {
      // Not awaited: its duration would reveal whether the account exists.
      if (await gate.mayMail(email))
        void askForReset(ctx, email).catch((err: unknown) =>
          ctx.log.error({ err }, "auth: password reset failed"),
        );
      return {};
    },
  }),
  entryRoute({
    method: "post",
    path: "/logout",
    noTry: true,
    body: emptyBody,
    bodyMaxBytes: 2, // `{}`: it is not counted as a try
    async handle({ ctx, gate }) {
      if (gate.token !== "") await logOut(ctx, gate.token);
      gate.clear();
    },
  }),
].map((route) => ({ bodyMaxBytes: BODY_MAX_BYTES, ...route }));
