import type {
  accountAnswer,
  enteredAnswer,
  linkAnswer,
  passkeyAnswer,
  passkeyOptions,
  recoveryCodesAnswer,
  sessionsAnswer,
  totpAnswer,
} from "../../../api/dashboard/account/request";
import { post, put, remove } from "./call";
import { apiQuery } from "./queries";
import type { Answer } from "./shapes";

/** Logged in, or a code or a passkey comes next. */
export type LoginAnswer = Answer<typeof enteredAnswer>;
export type SecondStep = Extract<LoginAnswer, { next: string }>["by"];
export type LinkState = Answer<typeof linkAnswer>;
export type Account = Answer<typeof accountAnswer>;
export type Passkey = Answer<typeof passkeyAnswer>;
export type SessionRow = Answer<typeof sessionsAnswer>["data"][number];
type PasskeyOptions = Answer<typeof passkeyOptions>;
type RecoveryCodes = Answer<typeof recoveryCodesAnswer>;

export const logIn = (credentials: { email: string; password: string }) =>
  post<LoginAnswer>("/login", credentials);
export const giveCode = (code: string) => post<LoginAnswer>("/login/second-factor", { code });
export const askPasskeyLogin = () => post<PasskeyOptions>("/login/passkey/options", {});
export const logInByPasskey = (response: unknown) => post<LoginAnswer>("/login/passkey", { response });
export const logOut = () => post("/logout", {});
export const askForReset = (email: string) => post("/password-reset", { email });

export type Proof = { password?: string; code?: string } | { passkey: unknown };
export const askPasskeyProof = () => post<PasskeyOptions>("/session/passkey-options", {});
export const reauthenticate = (proof: Proof) => post("/session/reauthenticate", proof);

export const readLink = (token: string) => post<LinkState>("/links/read", { token });
export const followLink = (body: { token: string; password?: string }) =>
  post<LoginAnswer>("/links/use", body);

export const accountQuery = apiQuery<Account>("/account");
export const sessionsQuery = apiQuery<Answer<typeof sessionsAnswer>>("/account/sessions");

export const changePassword = (body: { password: string }) => put("/account/password", body);
export const enrolTotp = () => post<Answer<typeof totpAnswer>>("/account/totp", {});
export const confirmTotp = (code: string) => post<RecoveryCodes>("/account/totp/confirm", { code });
export const disableTotp = () => remove("/account/totp");
export const renewRecoveryCodes = () => post<RecoveryCodes>("/account/recovery-codes", {});
export const askPasskey = () => post<PasskeyOptions>("/account/passkeys/options", {});
export const addPasskey = (name: string, response: unknown) => post("/account/passkeys", { name, response });
export const removePasskey = (id: string) => remove(`/account/passkeys/${id}`);
export const removeOwnApiKey = (id: string) => remove(`/account/api-keys/${id}`, { webhooks: "delete" });
export const endSession = (id: string) => remove(`/account/sessions/${id}`);
export const endOtherSessions = () => remove("/account/sessions");
export const voidLinks = () => remove("/account/links");
