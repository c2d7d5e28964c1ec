import type { AlertChannel, AlertMessage } from "../commands/ports";
import { openMail } from "./mail";

/** A hundred invoices' problem must not send a hundred mails. */
const AT_ONCE = 100;
const WHAT_TO_DO = "What to do about each kind: docs/operations/monitoring-and-alerts.md, Alerts.";
const SEVERITIES = ["critical", "warning", "info"];

/** Commas separate recipients in `to`. Each alert with a link to the page that shows it. */
export function makeAlertMail(smtpUrl: string, publicUrl: string): AlertChannel {
  const { operators, send: sendMail } = openMail(smtpUrl);
  return {
    name: "SMTP_URL",
    atOnce: AT_ONCE,
    send: (alerts) =>
      sendMail({
        to: operators,
        subject: subjectOf(alerts),
        text: [...alerts.map((alert) => paragraph(alert, publicUrl)), `${WHAT_TO_DO}\n`].join("\n"),
      }),
  };
}

function subjectOf(alerts: readonly AlertMessage[]): string {
  const severity = SEVERITIES.find((name) => alerts.some((alert) => alert.severity === name)) ?? "info";
  const kinds = [...new Set(alerts.map(({ kind }) => kind))].join(", ");
  return `[Quittance] ${severity}: ${kinds}${alerts.length > 1 ? ` (${alerts.length} alerts)` : ""}`;
}

function paragraph(alert: AlertMessage, publicUrl: string): string {
  const { alertId, at, severity, kind, message } = alert;
  return `${at.toISOString()} ${severity}: ${kind}\n${message}\n${publicUrl}${pageOf(alert)}\nalert ${alertId}\n`;
}

function pageOf({ storeId, invoiceId }: AlertMessage): string {
  if (storeId === null) return "/admin/health";
  return invoiceId === null ? `/stores/${storeId}/alerts` : `/stores/${storeId}/invoices/${invoiceId}`;
}
