import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { PasskeysPort } from "../commands/ports";

const TIMEOUT_MS = 5 * 60_000;

/** Large: loaded when the first passkey is used. */
const library = () => import("@simplewebauthn/server");

/** The library throws also at what is the browser's fault. */
async function orNull<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

/** For the host of PUBLIC_URL, and https except on localhost. */
export function makePasskeys(publicUrl: string): PasskeysPort {
  // The command line may have no PUBLIC_URL; there are no logins.
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
