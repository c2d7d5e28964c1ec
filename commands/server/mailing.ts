/** nodemailer's codes for one refused mail: the next may be accepted. By any other the mail server is away. */
const REFUSALS: readonly string[] = ["EENVELOPE", "EMESSAGE"];

/** Its code, for the log: the message may name the address. */
export function mailFailure(error: unknown): { code: string; refused: boolean } {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return { code, refused: REFUSALS.includes(code) };
}

/** `away`: the mail server is; `none`: nothing was to be sent any more. */
export type MailEnd = "sent" | "refused" | "away" | "none";

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
