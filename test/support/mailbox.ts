import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

interface Refusal {
  at: "MAIL FROM" | "RCPT TO" | "DATA";
  /** As after `550 ` in the server's response. */
  text?: string;
  code?: number;
  to?: string;
}

export interface Mailbox {
  /** For SMTP_URL. */
  url: string;
  mails: { to: string[]; text: string }[];
  /** Every mail from now on, or those to one address; null: none. */
  refuse(refusal?: Refusal | null): void;
  stop(): Promise<void>;
}

/** A mail server that keeps what it is sent. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: Mailbox["mails"] = [];
  let refusal: Refusal | null = null;
  const answerTo = (at: Refusal["at"], to?: string): Error | null => {
    if (refusal?.at !== at || (refusal.to !== undefined && refusal.to !== to)) return null;
    const { code: responseCode = 550, text = "5.1.1 no such mailbox here" } = refusal;
    return Object.assign(new Error(text), { responseCode });
  };
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onMailFrom: (_address, _session, done) => done(answerTo("MAIL FROM")),
    onRcptTo: ({ address }, _session, done) => done(answerTo("RCPT TO", address)),
    onData(stream, { envelope }, done) {
      let text = "";
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      stream.on("end", () => {
        const refused = answerTo("DATA", envelope.rcptTo[0]?.address);
        if (refused !== null) return done(refused);
        // Quoted-printable breaks long lines.
        mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          text: text.replaceAll("=\r\n", "").replaceAll("=3D", "="),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}?from=pay@example.com&to=ops@example.com`,
    mails,
    refuse: (chosen = { at: "RCPT TO" }) => void (refusal = chosen),
    stop: () => new Promise((resolve) => void smtp.close(resolve)),
  };
}
