import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface Mailbox {
  /** For SMTP_URL. */
  url: string;
  mails: { to: string[]; text: string }[];
  /** Refuses every mail from now on. */
  refuse(): void;
  stop(): Promise<void>;
}

/** A mail server that keeps what it is sent. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: Mailbox["mails"] = [];
  let refusing = false;
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, done) => done(refusing ? new Error("no such mailbox here") : null),
    onData(stream, { envelope }, done) {
      let text = "";
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      stream.on("end", () => {
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
    refuse: () => void (refusing = true),
    stop: () => new Promise((resolve) => void smtp.close(resolve)),
  };
}
