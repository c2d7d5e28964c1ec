import { openMail } from "../../../adapters/mail";
import type { Config } from "../../../config/schema";
import { failed, type Finding, off, ok, reasonOf, unknown } from "./check";

/** Otherwise a mistyped password is noticed when the first alert does not arrive. `configured`: right or wrong. */
export async function mailCheck({ SMTP_URL }: Partial<Config>, configured: boolean): Promise<Finding> {
  if (SMTP_URL === undefined)
    return configured
      ? unknown("SMTP_URL is wrong.")
      : off("SMTP_URL is not set: alerts, invitations and receipts are not mailed.");
  const { operators, check } = openMail(SMTP_URL);
  try {
    await check();
    return ok(`The mail server takes the login; alerts go to ${operators}.`);
  } catch (error) {
    return failed(
      `The mail server cannot be used: ${reasonOf(error)}`,
      "Are host, port, user and password in SMTP_URL right (percent-encoded), and may this host connect? smtps:// is TLS from the start (port 465), smtp:// STARTTLS (587).",
    );
  }
}
