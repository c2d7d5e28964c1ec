import { Page } from "../kit/page";

export function InvoicesPage() {
  return <Page title="Invoices">{null}</Page>;
}
