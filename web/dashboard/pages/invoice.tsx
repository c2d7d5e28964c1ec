import { Page } from "../kit/page";

export function InvoicePage() {
  return <Page title="Invoice">{null}</Page>;
}
