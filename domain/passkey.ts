/** What a browser answers (WebAuthn, PublicKeyCredential as JSON). All of it is the browser's word until it is verified. */
export interface PasskeyResponse {
  /** The credential's id, base64url. */
  id: string;
  response: { clientDataJSON: string };
}

/** The challenge that an answer says it answers; null for one that says none. */
export function answeredChallenge({ response }: PasskeyResponse): string | null {
  try {
    const clientData: unknown = JSON.parse(
      Buffer.from(response.clientDataJSON, "base64url").toString("utf8"),
    );
    if (typeof clientData !== "object" || clientData === null || !("challenge" in clientData)) return null;
    return typeof clientData.challenge === "string" ? clientData.challenge : null;
  } catch {
    return null;
  }
}
