import { mailName } from "../../domain/account/mail-text";
import { LINK_VALID_MINUTES, type UserLinkKind } from "../../domain/account/user-link";
import type { CommandContext } from "../context";
import { mailFailure } from "../server/mailing";

/** `offer`: a membership, to be accepted in the dashboard. */
type MailedKind = Extract<UserLinkKind, "invitation" | "reset"> | "offer";

interface LinkMail {
  to: string;
  kind: MailedKind;
  url: string;
  storeName?: string;
}

function validFor(kind: MailedKind): string {
  const minutes = LINK_VALID_MINUTES[kind === "offer" ? "invitation" : kind];
  return minutes < 24 * 60 ? `${minutes} minutes` : `${minutes / (24 * 60)} days`;
}

function textOf({ kind, url, storeName }: LinkMail): { subject: string; text: string } {
  const after = `\n\n${url}\n\nIt works once, and for ${validFor(kind)}.`;
  if (kind === "reset")
    return {
      subject: "[Quittance] Set a new password",
      text: `A new password was requested for your account. Set it here:${after} If you did not request it, ignore this mail.\n`,
    };
  const name = mailName(storeName ?? "");
  const store = name === null ? "a store" : `the store "${name}"`;
  if (kind === "offer")
    return {
      subject: "[Quittance] You are invited to a store",
      text: `You are invited to ${store}. Accept it or refuse it after you have logged in:\n\n${url}\n\nIt waits for ${validFor(kind)}.\n`,
    };
  return {
    subject: "[Quittance] You are invited to a store",
    text: `You are invited to ${store}. Choose a password here:${after}\n`,
  };
}

/** Returns whether the mail server accepted it; a failure is logged without address and link. */
export async function mailLink(ctx: CommandContext, mail: LinkMail): Promise<boolean> {
  if (ctx.sendMail === null) return false;
  try {
    await ctx.sendMail({ to: mail.to, ...textOf(mail) });
    return true;
  } catch (error) {
    const { cause } = mailFailure(error);
    ctx.log.warn({ kind: mail.kind, cause }, "mail: link not sent");
    return false;
  }
}
