import { Page } from "../kit/page";

export function AdminAuditPage() {
  return <Page title="Audit log">{null}</Page>;
}
