import type { SendMail } from "../commands/ports";
import { isThisHost } from "../domain/this-host";

const TIMEOUT_MS = 10_000;
/** Servers that examine a mail before they accept it take longer than a connection does. */
const SILENCE_MAX_MS = 30_000;

/** Somebody on the way must not read one-time links. */
export function requiresTls(url: URL): boolean {
  return !isThisHost(url.hostname) && url.searchParams.get("requireTLS") !== "false";
}

/** `smtp(s)://user:password@host?from=…&to=…`. Connects with each mail. */
export function openMail(smtpUrl: string): {
  operators: string;
  send: SendMail;
  /** Connects and logs in, and sends nothing. Rejects with the mail server's words. */
  check: () => Promise<void>;
} {
  const url = new URL(smtpUrl);
  const from = url.searchParams.get("from") ?? "";
  const operators = url.searchParams.get("to") ?? "";
  const requireTLS = requiresTls(url);
  for (const name of ["from", "to", "requireTLS"]) url.searchParams.delete(name);
  const timeouts = {
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: SILENCE_MAX_MS,
  };
  async function connect() {
    // Few processes send mail.
    const { createTransport } = await import("nodemailer");
    return createTransport({ url: url.href, requireTLS, ...timeouts });
  }
  return {
    operators,
    async send(mail) {
      await (await connect()).sendMail({ from, ...mail });
    },
    async check() {
      await (await connect()).verify();
    },
  };
}
