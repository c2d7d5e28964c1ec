import { get, post, put, remove } from "./call";
import { apiQuery } from "./queries";
import type { User } from "./session";

// The way in, and one's own account.

/** Logged in, or half the way: a code of the authenticator app, or a recovery code, comes next. */
export type Entered = { user: User } | { next: "second-factor" };

export const logIn = (credentials: { email: string; password: string }) =>
  post<Entered>("/login", credentials);
export const giveCode = (code: string) => post<Entered>("/login/second-factor", { code });
export const askPasskeyLogin = () => post<{ options: unknown }>("/login/passkey/options");
export const logInByPasskey = (response: unknown) => post<Entered>("/login/passkey", { response });
export const logOut = () => post("/logout");

export type Proof = { password: string } | { code: string } | { passkey: unknown };
export const reauthenticate = (proof: Proof) => post("/session/reauthenticate", proof);

export type LinkKind = "setup" | "invitation" | "reset" | "login";
export interface LinkState {
  email: string;
  kind: LinkKind;
  expiresAt: string;
}
export const readLink = (token: string) => post<LinkState>("/links/read", { token });
export const followLink = (token: string, body: { password?: string }) =>
  post<Entered>("/links/use", { token, ...body });

export interface Account {
  email: string;
  hasPassword: boolean;
  totp: boolean;
  recoveryCodesLeft: number;
  passkeys: Passkey[];
}
export interface Passkey {
  passkeyId: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}
export interface SessionRow {
  sessionId: string;
  current: boolean;
  ip: string;
  userAgent: string;
  createdAt: string;
  lastSeenAt: string;
}
export const accountQuery = apiQuery<Account>("/account");
export const sessionsQuery = apiQuery<{ data: SessionRow[] }>("/account/sessions");

export const changePassword = (body: { password: string }) => put("/account/password", body);
export const enrolTotp = () => post<{ secret: string; uri: string }>("/account/totp");
export const confirmTotp = (code: string) =>
  post<{ recoveryCodes: string[] }>("/account/totp/confirm", { code });
export const disableTotp = () => remove("/account/totp");
export const renewRecoveryCodes = () => post<{ recoveryCodes: string[] }>("/account/recovery-codes");
export const askPasskey = () => post<{ options: unknown }>("/account/passkeys/options");
export const addPasskey = (name: string, response: unknown) => post("/account/passkeys", { name, response });
export const removePasskey = (id: string) => remove(`/account/passkeys/${id}`);
export const endSession = (id: string) => remove(`/account/sessions/${id}`);
export const endOtherSessions = () => remove("/account/sessions");
