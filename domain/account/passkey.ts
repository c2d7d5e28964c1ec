/** What a browser answers (WebAuthn, PublicKeyCredential as JSON). All of it is the browser's word until it is verified. */
export interface PasskeyResponse {
  /** The credential's id, base64url. */
  id: string;
  response: { clientDataJSON: string };
}

/** Ours are base64url; a NUL, which the database would not even look for, is none. */
const CHALLENGE = /^[\w-]{1,200}$/;

/** The challenge that an answer says it answers; null for one that says none. */
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
