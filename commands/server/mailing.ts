/** `refused`: the mailbox, for good; `later`: this mail, not the next; `away`: the server is, or refuses the sender. */
export type MailFailure = "refused" | "later" | "away";

/** An error of nodemailer's. */
interface SmtpError extends Error {
  code?: string;
  /** Whose response it was. */
  command?: string;
  responseCode?: number;
  response?: string;
}

const OF_THIS_MAIL: readonly (string | undefined)[] = ["EENVELOPE", "EMESSAGE"];
/** By RFC 3463: a bad or disabled mailbox. Other refusals, such as "relay not permitted", may be this server's fault. */
const OF_THE_MAILBOX = /\b5\.(1\.[0-6]|2\.1)\b/;

/** `cause` is for the log: the message may name the address. */
export function mailFailure(error: unknown): { failure: MailFailure; cause: string } {
  const {
    code,
    command,
    responseCode = 0,
    response = "",
  }: Partial<SmtpError> = error instanceof Error ? error : {};
  const cause = [code ?? "unknown", command, responseCode || undefined].filter(Boolean).join(" ");
  if (!OF_THIS_MAIL.includes(code) || command === "MAIL FROM") return { failure: "away", cause };
  const refused = command === "RCPT TO" && responseCode >= 500 && OF_THE_MAILBOX.test(response);
  return { failure: refused ? "refused" : "later", cause };
}

/** `none`: nothing was to be sent any more. */
export type MailEnd = "sent" | MailFailure | "none";

/** Returns how many were accepted. Once the server is away the others wait, instead of one deadline after the other. */
export async function mailEach<Due>(
  dues: readonly Due[],
  mail: (due: Due) => Promise<MailEnd>,
): Promise<number> {
  let sent = 0;
  for (const due of dues) {
    const end = await mail(due);
    if (end === "away") break;
    if (end === "sent") sent += 1;
  }
  return sent;
}
