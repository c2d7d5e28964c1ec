/** nodemailer's codes for one refused mail: the next may be accepted. By any other the mail server is away. */
const REFUSALS: readonly string[] = ["EENVELOPE", "EMESSAGE"];

/** Its code, for the log: the message may name the address. */
export function mailFailure(error: unknown): { code: string; refused: boolean } {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return { code, refused: REFUSALS.includes(code) };
}
