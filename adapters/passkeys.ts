import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { PasskeysPort } from "../commands/ports";

const TIMEOUT_MS = 5 * 60_000;

/** Large, and every process has this adapter: loaded when the first passkey is used. */
const library = () => import("@simplewebauthn/server");

/** An answer that is unreadable or does not match is the browser's fault; the library throws in both cases. */
async function orNull<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

/** WebAuthn for the host of PUBLIC_URL: passkeys are tied to it, and to https except on localhost. */
export function makePasskeys(publicUrl: string): PasskeysPort {
  // The command line may run without a PUBLIC_URL; there are no logins there.
  const { hostname: rpID, origin } = new URL(URL.canParse(publicUrl) ? publicUrl : "http://localhost");
  const expected = { expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: true };
  return {
    async askToRegister({ userId, email }, known) {
      const { generateRegistrationOptions } = await library();
      const options = await generateRegistrationOptions({
        rpName: "Quittance",
        rpID,
        userID: new TextEncoder().encode(userId),
        userName: email,
        userDisplayName: email,
        timeout: TIMEOUT_MS,
        attestationType: "none",
        excludeCredentials: known.map(({ credentialId: id, transports }) => ({
          id,
          transports: [...transports],
        })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      return { challenge: options.challenge, options };
    },
    async askToLogIn() {
      const { generateAuthenticationOptions } = await library();
      const options = await generateAuthenticationOptions({
        rpID,
        timeout: TIMEOUT_MS,
        userVerification: "required",
      });
      return { challenge: options.challenge, options };
    },
    verifyRegistration: (answer, expectedChallenge) =>
      orNull(async () => {
        const { verifyRegistrationResponse } = await library();
        const response = answer as RegistrationResponseJSON;
        const verified = await verifyRegistrationResponse({ response, expectedChallenge, ...expected });
        if (!verified.verified) return null;
        const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
        return { credentialId: id, publicKey: Buffer.from(publicKey), counter, transports };
      }),
    verifyLogin: (answer, expectedChallenge, { credentialId: id, publicKey, counter }) =>
      orNull(async () => {
        const { verifyAuthenticationResponse } = await library();
        const response = answer as AuthenticationResponseJSON;
        const credential = { id, publicKey: new Uint8Array(publicKey), counter };
        const verified = await verifyAuthenticationResponse({
          response,
          expectedChallenge,
          credential,
          ...expected,
        });
        return verified.verified ? verified.authenticationInfo.newCounter : null;
      }),
  };
}
