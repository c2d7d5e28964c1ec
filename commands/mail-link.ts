import { LINK_VALID_MINUTES, type UserLinkKind } from "../domain/user-link";
import type { CommandContext } from "./context";

type MailedKind = Extract<UserLinkKind, "invitation" | "reset">;

interface LinkMail {
  to: string;
  kind: MailedKind;
  url: string;
  /** Of an invitation. */
  storeName?: string;
}

function validFor(kind: MailedKind): string {
  const minutes = LINK_VALID_MINUTES[kind];
  return minutes < 24 * 60 ? `${minutes} minutes` : `${minutes / (24 * 60)} days`;
}

function textOf({ kind, url, storeName }: LinkMail): { subject: string; text: string } {
  const after = `\n\n${url}\n\nIt works once, and for ${validFor(kind)}.`;
  if (kind === "reset")
    return {
      subject: "[Quittance] Set another password",
      text: `Somebody, most likely you, asked for another password. Set it here:${after} If it was not you, do nothing.\n`,
    };
  // A store's name is its owner's text: in a subject it could break a line.
  return {
    subject: "[Quittance] You are invited to a store",
    text: `You are invited to the store "${storeName ?? ""}". Choose a password here:${after}\n`,
  };
}

/** Mails a link, once. Answers whether the mail server took it; what went wrong is logged without address and link. */
export async function mailLink(ctx: CommandContext, mail: LinkMail): Promise<boolean> {
  if (ctx.sendMail === null) return false;
  try {
    await ctx.sendMail({ to: mail.to, ...textOf(mail) });
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    ctx.log.warn({ kind: mail.kind, code }, "a link could not be mailed");
    return false;
  }
}
