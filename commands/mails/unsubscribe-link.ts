import type { CommandContext } from "../context";

export const tokenMac = (choiceId: string): string[] => ["unsubscribe", choiceId];

/** The token is in the part that browsers send to no server. It is the same in every mail, and is not stored. */
export function unsubscribeUrl({ secrets, settings }: CommandContext, choiceId: string): string {
  const mac = secrets.mac(tokenMac(choiceId)).toString("base64url");
  return `${settings.publicUrl}/unsubscribe#${choiceId}.${mac}`;
}
