import { z } from "zod";
import { USER_LINK_KINDS } from "../../../domain/account/user-link";
import { instant } from "../../http/schemas/answer";
import { text } from "../../http/schemas/text";

const password = text(1_000);
const code = text(100);
const token = text(100);
const email = text(254);

/** The WebAuthn library checks the rest. */
const passkeyResponse = z.looseObject({
  id: text(2_000),
  response: z.looseObject({ clientDataJSON: text(10_000) }),
});

export const loginBody = z.strictObject({ email, password });
export const codeBody = z.strictObject({ code });
export const passkeyBody = z.strictObject({ response: passkeyResponse });
export const linkBody = z.strictObject({ token });
export const useLinkBody = z.strictObject({ token, password: password.exactOptional() });
export const resetBody = z.strictObject({ email });
export const proofBody = z.union(
  [
    z.strictObject({ password: password.exactOptional(), code: code.exactOptional() }),
    z.strictObject({ passkey: passkeyResponse }),
  ],
  "Send a passkey response, or the password and, if an authenticator app is set up, a code.",
);
export const passwordBody = z.strictObject({ password, currentPassword: password.exactOptional() });
export const addPasskeyBody = z.strictObject({ name: text(100), response: passkeyResponse });
export const renamePasskeyBody = z.strictObject({ name: text(100) });

const user = z.strictObject({ userId: z.string(), email: z.string(), admin: z.boolean() });

export const enteredAnswer = z.union([
  z.strictObject({ user }),
  z.strictObject({
    next: z.literal("second-factor"),
    /** A code of the app or a recovery code, or a passkey by `/login/passkey`. */
    by: z.array(z.enum(["code", "passkey"])),
  }),
]);
export const sessionAnswer = z.strictObject({
  user,
  sudo: z.boolean(),
  /** Until it is set up only the account pages are available. */
  owesSecondFactor: z.boolean(),
  mayCreateStores: z.boolean(),
});
export const passkeyOptions = z.strictObject({ options: z.looseObject({ challenge: z.string() }) });
export const linkAnswer = z.strictObject({
  kind: z.enum(USER_LINK_KINDS),
  email: z.string(),
  expiresAt: instant(),
  setsPassword: z.boolean(),
  storeName: z.string().nullable(),
});
export const passkeyAnswer = z.strictObject({
  passkeyId: z.string(),
  name: z.string(),
  createdAt: instant(),
  lastUsedAt: instant().nullable(),
});
export const accountAnswer = z.strictObject({
  email: z.string(),
  hasPassword: z.boolean(),
  totp: z.boolean(),
  recoveryCodesLeft: z.int(),
  totpLastUsedAt: instant().nullable(),
  openLinks: z.int(),
  passkeys: z.array(passkeyAnswer),
  apiKeys: z.array(
    z.strictObject({
      id: z.string(),
      storeName: z.string(),
      name: z.string(),
      prefix: z.string(),
      createdAt: instant(),
      lastUsedAt: instant().nullable(),
    }),
  ),
});
export const totpAnswer = z.strictObject({ secret: z.string(), uri: z.string() });
export const recoveryCodesAnswer = z.strictObject({ recoveryCodes: z.array(z.string()) });
export const sessionsAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      sessionId: z.string(),
      current: z.boolean(),
      ip: z.string(),
      userAgent: z.string(),
      createdAt: instant(),
      lastSeenAt: instant(),
      /** The admin who was shown the session's link, or set its password: it may be them. */
      linkShownTo: z.string().nullable(),
    }),
  ),
});
export const nothing = z.strictObject({});
