import type { Alert } from "../../entities/alert";

export function presentAlert({ id, kind, severity, storeId, invoiceId, message, at, resolvedAt }: Alert) {
  return { alertId: id, kind, severity, storeId, invoiceId, message, at, resolvedAt };
}
