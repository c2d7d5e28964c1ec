import type { SendMail } from "../commands/ports";

const TIMEOUT_MS = 10_000;

export interface Mail {
  /** `to` in the URL: the operator. */
  operators: string;
  send: SendMail;
}

/** The operator's mail server: `smtp(s)://user:password@host?from=…&to=…`. Connects with each mail. */
export function openMail(smtpUrl: string): Mail {
  const url = new URL(smtpUrl);
  const from = url.searchParams.get("from") ?? "";
  const operators = url.searchParams.get("to") ?? "";
  for (const name of ["from", "to"]) url.searchParams.delete(name);
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  return {
    operators,
    async send(mail) {
      // Every process has this adapter, but few send mail.
      const { createTransport } = await import("nodemailer");
      await createTransport({ url: url.href, ...timeouts }).sendMail({ from, ...mail });
    },
  };
}
