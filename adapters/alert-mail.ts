import type { AlertChannel, AlertMessage } from "../commands/ports";
import { openMail } from "./mail";

/** A hundred invoices' problem must not send a hundred mails. */
const AT_ONCE = 100;
const SEVERITIES = ["critical", "warning", "info"];

/** Commas separate recipients in `to`. */
export function makeAlertMail(smtpUrl: string): AlertChannel {
  const { operators, send: sendMail } = openMail(smtpUrl);
  return {
    name: "SMTP_URL",
    atOnce: AT_ONCE,
    send: (alerts) =>
      sendMail({ to: operators, subject: subjectOf(alerts), text: alerts.map(paragraph).join("\n") }),
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
