import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import {
  addPasskey,
  askPasskey,
  askPasskeyLogin,
  askPasskeyProof,
  logInByPasskey,
  reauthenticate,
  type LoginAnswer,
} from "./account";

/** Only by https, or on this computer. */
export const hasPasskeys = (): boolean => window.isSecureContext && browserSupportsWebAuthn();

const CANCELLED = ["NotAllowedError", "AbortError"];

/** In words about the person's action, not the browser's. */
async function inPlainWords<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WebAuthnError && error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")
      throw new Error("This device already has a passkey for your account.", { cause: error });
    if (error instanceof Error && CANCELLED.includes(error.name))
      throw new Error("No passkey was used: the request was cancelled or timed out.", { cause: error });
    throw error;
  }
}

const prove = (options: unknown) =>
  inPlainWords(() => startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }));

export async function enterByPasskey(): Promise<LoginAnswer> {
  const { options } = await askPasskeyLogin();
  return logInByPasskey(await prove(options));
}

export async function reauthenticateByPasskey(): Promise<void> {
  const { options } = await askPasskeyProof();
  return reauthenticate({ passkey: await prove(options) });
}

export async function registerPasskey(name: string): Promise<void> {
  const { options } = await askPasskey();
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return addPasskey(name, await inPlainWords(() => startRegistration({ optionsJSON })));
}
