import { createTransport } from "nodemailer";
import type { AlertChannel, AlertMessage } from "../commands/ports";

const TIMEOUT_MS = 10_000;
/** Of trouble with a hundred invoices nobody wants a hundred mails. */
const AT_ONCE = 100;
/** Best first: the subject tells the worst. */
const SEVERITIES = ["critical", "warning", "info"];

/** Mails alerts by the operator's server: `smtp(s)://user:password@host?from=…&to=…`, several recipients with commas. */
export function makeAlertMail(smtpUrl: string): AlertChannel {
  const url = new URL(smtpUrl);
  const from = url.searchParams.get("from") ?? "";
  const to = url.searchParams.get("to") ?? "";
  for (const name of ["from", "to"]) url.searchParams.delete(name);
  const transport = createTransport({
    url: url.href,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    name: "SMTP_URL",
    atOnce: AT_ONCE,
    async tell(alerts) {
      await transport.sendMail({
        from,
        to,
        subject: subjectOf(alerts),
        text: alerts.map(paragraph).join("\n"),
      });
    },
  };
}

function subjectOf(alerts: readonly AlertMessage[]): string {
  const severity = SEVERITIES.find((name) => alerts.some((alert) => alert.severity === name)) ?? "info";
  const kinds = [...new Set(alerts.map(({ kind }) => kind))].join(", ");
  return `[Quittance] ${severity}: ${kinds}${alerts.length > 1 ? ` (${alerts.length} alerts)` : ""}`;
}

function paragraph({ alertId, at, severity, kind, message, storeId, invoiceId }: AlertMessage): string {
  const about = [
    ...(storeId === null ? [] : [`store ${storeId}`]),
    ...(invoiceId === null ? [] : [`invoice ${invoiceId}`]),
    `alert ${alertId}`,
  ];
  return `${at.toISOString()} ${severity}: ${kind}\n${message}\n${about.join(", ")}\n`;
}
