/** A browser's answer (WebAuthn, PublicKeyCredential as JSON). Untrusted until it is verified. */
export interface PasskeyResponse {
  id: string;
  response: { clientDataJSON: string };
}

/** This also refuses a NUL, which a query cannot contain. */
const CHALLENGE = /^[\w-]{1,200}$/;

/** The challenge that an answer claims; null without one. */
export function answeredChallenge({ response }: PasskeyResponse): string | null {
  try {
    const clientData: unknown = JSON.parse(
      Buffer.from(response.clientDataJSON, "base64url").toString("utf8"),
    );
    if (typeof clientData !== "object" || clientData === null || !("challenge" in clientData)) return null;
    const { challenge } = clientData;
    return typeof challenge === "string" && CHALLENGE.test(challenge) ? challenge : null;
  } catch {
    return null;
  }
}
